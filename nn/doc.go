// Package nn builds, trains and runs neural networks over batches of sequences of different lengths,
// without padding. A network is a Gorgonia graph of layers that compose freely: a node can feed any
// number of others, layers of the same name share their parameters, and Gorgonia's own ops can be used
// between layers. Each layer computes its own gradient, and Gorgonia's Grad connects the gradients.
//
// # Overview
//
//   - A Graph is a network under construction. Its methods are the layers. They take and return
//     nodes, which are matrices of float32 or, for losses, scalars.
//   - An Axis describes which rows of a matrix belong to which sequence of the current batch. An
//     Index has one number for each of its rows, and Bags have several: rows of a table, or classes.
//   - Params are the trainable matrices by name. They are saved and loaded as tensors.
//   - A Model is what the assembly of a network returns: it fills the axes and indices for each
//     batch, and has the loss.
//   - A Machine computes one graph: its values and, for training, the loss and the gradients.
//   - A Trainer divides batches among machines, one per worker, and updates the parameters with the
//     settings of an Optimizer. The same seed and number of workers give the same bits.
//   - A Decoder finds the best labels of sequences.
//   - A Layer is a function of matrices with its gradient. Graph.Apply adds a layer of your own, and
//     package gradcheck tests it.
//
// # Layers
//
//	tables       Embedding, Param with Gather or Sum
//	sequences    LSTM, ReverseLSTM, BiLSTM, Convolution
//	pooling      LastStates, MaxPool, Sum
//	rows         Linear, Tanh, LayerNorm, Softmax, Dropout
//	combining    Concat, Add, Gather
//	losses       SoftmaxLoss, CRF, SampledSoftmax, Total
//
// # Example
//
// A network that labels the words of sentences:
//
//	func assemble(g *nn.Graph) *network {
//		n := &network{tokens: g.Axis("tokens")}
//		n.words, n.labels = n.tokens.Index(), n.tokens.Index()
//		x := g.Embedding("words", n.words, 5000, 100, nn.Glorot) // [tokens, 100]
//		x = g.BiLSTM("lstm", g.Dropout(x, 0.5, 0), 100, nn.Standard) // [tokens, 200]
//		n.logits = g.Linear("logits", x, 2) // [tokens, 2]
//		n.loss = g.SoftmaxLoss(n.logits, n.labels)
//		return n
//	}
//
//	params := nn.NewParams(seed)
//	trainer, err := nn.NewTrainer[sentence](params, assemble, nn.DefaultOptimizer(), workers, nil)
//	...
//	loss, err := trainer.Step(batch, seed, epoch)
//
// The page docs/toolkit.md explains it step by step, with the Fill method of the model, prediction,
// saving and loading. The folders examples/pos and examples/headings contain whole programs, and
// package tagger is the network that finds names in notes.
package nn
