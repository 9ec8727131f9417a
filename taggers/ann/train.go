package ann

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/card"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Fit implements taggers.Node. It trains for Training.Epochs epochs or until
// Training.Patience runs out, and returns the network with the best score on Dev, a
// *Tagger. The score is strict F1 unless Training.Metric or Training.Measure is set. Without
// Dev, which NeedsDev may forbid, it returns the network of the last epoch. If task.Dir is set, it keeps that model in Dir/best, the newest in Dir/last,
// and the state for a resumed run in Dir/state.safetensors.
func (c Config) Fit(ctx context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	course, err := c.newCourse(ctx, task)
	if err != nil {
		return nil, err
	}
	defer course.trainer.Close()
	if task.Resume {
		if err := course.restore(); err != nil {
			return nil, err
		}
		for _, e := range course.history {
			e.Resumed = true
			course.report(e)
		}
	}
	for !course.done() {
		if err := course.epoch(ctx); err != nil {
			return nil, err
		}
	}
	if course.bestParams == nil { // a resumed run with fewer epochs
		return nil, fmt.Errorf("none of the run's %d epochs was scored on dev or was its last: raise training.epochs", len(course.history))
	}
	course.restoreBest()
	return course.tagger, nil
}

// course is a training in progress. Its state is the network, the trainer's memory, the
// best epoch's parameters and the history. All random choices follow from the seed and
// the epoch, so nothing else must be saved.
type course struct {
	task        taggers.Task
	tagger      *Tagger
	trainer     *nn.Trainer[tagger.Sentence]
	sentences   []tagger.Sentence // of the notes, then of the copies
	label       map[string]int32  // ids
	copies      []*data.Document  // of the epoch
	notes       int               // the sentences that are of notes
	singleton   []bool            // by token id
	tokens      int
	history     []taggers.Epoch
	start       string           // digest of the network that the training starts from; "": none
	fingerprint string           // see digest
	card        checkpoints.Card // information that is available before training
	bestParams  [][]float32      // parameters of the best epoch; nil before the first
	bestCard    checkpoints.Card
	metric      *devMetric // nil: strict F1
}

func (cfg Config) newCourse(ctx context.Context, task taggers.Task) (*course, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	switch {
	case len(task.Train) == 0:
		return nil, errors.New("training requires documents to train on")
	case len(task.Dev) == 0 && cfg.NeedsDev():
		if cfg.Training.Patience == 0 {
			return nil, fmt.Errorf("optimizer.schedule.method: %s requires documents to score each epoch", plateau)
		}
		return nil, fmt.Errorf("training.patience: %d requires documents to select the best epoch; 0 trains for all epochs and keeps the last", cfg.Training.Patience)
	}
	metric, err := cfg.Training.metric(task.Types)
	if err != nil {
		return nil, err
	}
	if len(task.Dev) > 0 {
		err = metric.check("dev", task.Dev)
		if err == nil && cfg.Start == "" { // which may know types that train lacks
			err = metric.check("train", task.Train)
		}
		if err != nil {
			return nil, err
		}
	}
	c := &course{task: task, metric: metric}
	r, err := cfg.reader()
	if err != nil {
		return nil, err
	}

	// The first pass counts and splits, the second encodes.
	count := newCounter(cfg.Vocabulary.DigitsAsZero)
	count.minPatients = cfg.Vocabulary.MinPatients
	patients := data.NumberPatients(task.Train)
	var texts []reader.Text
	notes := 0 // the texts that are not of copies
	if c.copies, err = task.CopiesOf(1); err != nil {
		return nil, err
	}
	for i, doc := range slices.Concat(task.Train, c.copies) {
		for x := range r.Cut(doc) {
			texts = append(texts, x)
			if i < len(task.Train) {
				notes++
			}
			for _, tok := range x.Tokens {
				if i < len(task.Train) {
					count.addOf(patients[i], i, doc.Text[tok.Start:tok.End])
				}
			}
		}
	}
	start, err := cfg.openStart()
	if err != nil {
		return nil, err
	}
	if err := start.checkClean(cfg.Vocabulary.MinPatients); err != nil {
		return nil, err
	}
	labels := cfg.Scheme.Labels(task.Types.Used(slices.Concat(task.Train, start.note(task.Types))))

	vectors, words, err := loadVectors(cfg, count)
	if err != nil {
		return nil, err
	}
	known, characters := start.words()
	v := count.vocabulary(slices.Concat(count.kept(cfg.Vocabulary.accepts), words, known), characters)
	features, drawn, err := fitFeatures(ctx, cfg.Features, texts, notes, cfg.Vocabulary.MinPatients, task.Workers)
	if err != nil {
		return nil, err
	}
	net, err := cfg.network(v, labels, features, task.Seed)
	if err != nil {
		return nil, err
	}
	if vectors != nil {
		initialise(net.TokenEmbedding(), v, vectors)
	}
	if err := start.fill(net, v, labels, features); err != nil {
		return nil, err
	}
	if c.tagger, err = newTagger(cfg, task.Types, labels, v, features, net, task.Workers); err != nil {
		return nil, err
	}

	c.label = map[string]int32{}
	for i, label := range labels {
		c.label[label] = int32(i)
	}
	for k, x := range texts {
		if k == notes {
			c.notes = len(c.sentences)
		}
		c.add(x, drawn[k])
	}
	if len(texts) == notes {
		c.notes = len(c.sentences)
	}
	if len(c.sentences) == 0 {
		return nil, fmt.Errorf("the training documents contain no tokens")
	}
	if n := cfg.Network; (n.TokenEmbedding == 0 || len(v.tokens) == 1) && (!n.ReadsCharacters() || len(v.characters) == 1) && cfg.Features.IsZero() {
		return nil, fmt.Errorf("no token or character that the network reads occurs in enough training documents or patients (vocabulary.min_documents: %d, min_patients: %d), so there is nothing to learn from",
			cfg.Vocabulary.MinDocuments, cfg.Vocabulary.MinPatients)
	}
	c.singleton = make([]bool, len(v.tokens))
	for i, t := range v.tokens {
		n := count.tokens[t]
		c.singleton[i] = n != nil && n.count == 1
	}
	if start != nil {
		c.start = start.digest
	}
	if task.Dir != "" {
		c.fingerprint = c.digest()
	}
	c.card = newCard(task, cfg, c.tokens, net.Count())
	c.tagger.card, c.bestCard = c.card, c.card
	if c.trainer, err = net.NewTrainer(cfg.Optimizer, task.Workers, cfg.rate); err != nil {
		return nil, err
	}
	c.freezeRare(texts[:notes])
	return c, nil
}

// freezeRare keeps the vectors of tokens that occur in the notes of fewer patients than a clean network requires as they are, because a
// change would show that they occur. The unknown token stands for many tokens, so its vector is trained.
func (c *course) freezeRare(texts []reader.Text) {
	table, v, least := c.tagger.network.TokenEmbedding(), c.tagger.vocabulary, c.tagger.config.Vocabulary.MinPatients
	if table == nil || least == 0 {
		return
	}
	number := map[*data.Document]int{}
	for i, n := range data.NumberPatients(c.task.Train) {
		number[c.task.Train[i]] = n
	}
	seen := make([]reader.Patients, len(v.tokens))
	for _, x := range texts {
		for _, tok := range x.Tokens {
			id := v.token(x.Doc.Text[tok.Start:tok.End])
			seen[id] = seen[id].Add(int32(number[x.Doc]), least)
		}
	}
	rare := make([]bool, len(v.tokens))
	for id, p := range seen {
		rare[id] = id != unknown && len(p) < least
	}
	c.trainer.FreezeRows(table, rare)
}

// add encodes the sentences of a text.
func (c *course) add(x reader.Text, features drawn) {
	t := c.tagger
	labels := x.Labels(t.config.Scheme)
	encoder := newEncoder(t.vocabulary)
	for i, r := range x.Sentences {
		s := encoder.encode(x.Doc, x.Tokens[r.Start:r.End])
		s.Features = t.features.sentence(features, i, nil)
		for _, label := range labels[i] {
			s.Labels = append(s.Labels, c.label[label])
		}
		c.sentences = append(c.sentences, s)
		c.tokens += r.End - r.Start
	}
}

// renew replaces the copies with those of an epoch.
func (c *course) renew(ctx context.Context, epoch int) error {
	copies, err := c.task.CopiesOf(epoch)
	if err != nil || slices.Equal(copies, c.copies) {
		return err
	}
	foreign, err := c.tagger.features.foreign(ctx, copies)
	if err != nil {
		return err
	}
	for _, s := range c.sentences[c.notes:] {
		c.tokens -= len(s.Tokens)
	}
	c.sentences, c.copies = c.sentences[:c.notes], copies
	for i, doc := range copies {
		for x := range c.tagger.reader.Cut(doc) {
			c.add(x, c.tagger.features.draw(x, foreign[i]))
		}
	}
	return nil
}

// network returns a new network for a vocabulary, labels and features.
func (cfg Config) network(v *vocabulary, labels []string, f *features, seed uint64) (*tagger.Network, error) {
	return tagger.New(cfg.Network, cfg.sizes(v, labels, f), seed)
}

func (cfg Config) sizes(v *vocabulary, labels []string, f *features) tagger.Sizes {
	return tagger.Sizes{
		Characters: len(v.characters), Tokens: len(v.tokens), Labels: len(labels),
		Features: tagger.Features{
			Values: f.sizes(), Dimension: cfg.Features.Dimension, Output: cfg.Features.At == "output", Dropout: cfg.Features.Dropout,
		},
	}
}

// loadVectors reads the pretrained vectors and returns the words that join the
// vocabulary.
func loadVectors(cfg Config, count *counter) (v *embeddings.Vectors, words []string, err error) {
	if cfg.Vectors.File == "" {
		return nil, nil, nil
	}
	opt := embeddings.Options{Dim: cfg.Network.TokenEmbedding}
	if cfg.Vectors.Keep == "training" {
		opt.Want = embeddings.Wanted(append(slices.Collect(maps.Keys(count.tokens)), unknownWord, unknownWordOfSENNA), cascade)
	}
	if wanted, read := opt.Want, 0; cfg.Vectors.Most > 0 {
		opt.Want = func(word string) bool {
			read++
			return read <= cfg.Vectors.Most && (wanted == nil || wanted(word))
		}
	}
	if v, err = embeddings.Load(cfg.Vectors.File, opt); err != nil {
		return nil, nil, err
	}
	if cfg.Vectors.Keep == "all" {
		for i := range v.Len() {
			words = append(words, v.Word(i))
		}
	}
	return v, words, nil
}

// The word whose vector becomes that of the unknown token, if the file has one, as
// those of GloVe and SENNA do.
const (
	unknownWord        = "unk"
	unknownWordOfSENNA = "UNKNOWN"
)

// initialise copies the vectors of the vocabulary's words that have one.
func initialise(table *nn.Param, v *vocabulary, vectors *embeddings.Vectors) {
	for id, token := range v.tokens {
		if id == unknown && vectors.Stats().Format == embeddings.SENNA {
			token = unknownWordOfSENNA
		} else if id == unknown {
			token = unknownWord
		}
		if row, ok := vectors.Lookup(token, cascade); ok {
			copy(table.Data[id*table.Cols:][:table.Cols], vectors.Row(row))
		}
	}
}

func (c *course) done() bool {
	n, t := len(c.history), c.tagger.config.Training
	if n >= t.Epochs {
		return true
	}
	sinceBest := 0
	for i := n - 1; i >= 0 && !c.history[i].Best; i-- {
		sinceBest++
	}
	// No epoch is better before it is scored, so there is at least one evaluation to wait for.
	return t.Patience > 0 && c.bestParams != nil && sinceBest >= max(t.Patience, t.EvaluateEvery)
}

// epoch trains on every sentence once, in an order that depends on the epoch, and
// scores Dev.
func (c *course) epoch(ctx context.Context) error {
	cfg, number := c.tagger.config, len(c.history)+1
	begin := time.Now()
	if err := c.renew(ctx, number); err != nil {
		return fmt.Errorf("epoch %d: %w", number, err)
	}
	rng := rand.New(rand.NewPCG(c.task.Seed, uint64(number)))
	batches := c.batches(rng)
	e := taggers.Epoch{Epoch: number, Tokens: c.tokens, Parameters: c.tagger.network.Count()}
	done, steps := 0, 0
	watch := newWatch(math.Log(float64(len(c.tagger.labels))),
		fmt.Sprintf("choose an optimizer.learning_rate below %v, or a warm-up (optimizer.schedule.warmup)", cfg.Optimizer.LearningRate))
	var late mean // losses of the second half of the epoch
	for i, batch := range batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.schedule(&e, float64(i)/float64(len(batches)), 1/float64(len(batches)))
		loss, tokens, err := c.step(batch, rng, number)
		if err != nil {
			return fmt.Errorf("epoch %d: %w", number, err)
		}
		lossOf := tokens // the loss is a sum over the tokens of a sentence or, without a CRF, their mean
		if !cfg.Network.CRF {
			lossOf = len(batch)
		}
		if err := watch.add(loss*float64(len(batch)), lossOf); err != nil {
			return fmt.Errorf("epoch %d: %w", number, err)
		}
		if 2*i >= len(batches) {
			late.add(loss*float64(len(batch)), lossOf)
		}
		e.Loss += loss
		done += tokens
		steps++
		if c.task.Report.Step != nil {
			c.task.Report.Step(number, done, c.tokens)
		}
	}
	e.Loss /= float64(steps)
	e.Warning = c.warning(e, steps, late.value())
	e.Train = time.Since(begin)

	// From here to the end of the epoch, the averaged network is in use.
	c.trainer.SwapAverage()
	defer c.trainer.SwapAverage()
	c.tagger.card = c.card
	last := number == cfg.Training.Epochs
	e.Scored = len(c.task.Dev) > 0 && (last || number%cfg.Training.EvaluateEvery == 0)
	switch {
	case e.Scored:
		if err := c.score(ctx, &e); err != nil {
			return err
		}
	case last && len(c.task.Dev) == 0:
		c.keep(&e)
	}
	c.history = append(c.history, e)
	if err := c.save(); err != nil {
		return err
	}
	newest := &c.history[len(c.history)-1]
	newest.Total = time.Since(begin)
	c.report(*newest)
	return nil
}

// schedule sets the learning rate of an update, given the part of the epoch that is done and that the
// update is. It follows from the history, so a resumed run has the same rates.
func (c *course) schedule(e *taggers.Epoch, done, update float64) {
	o := c.tagger.config.Optimizer
	if o.Schedule == (nn.Schedule{}) {
		return
	}
	p := nn.Progress{Done: float64(len(c.history)) + done, Update: update, Epochs: c.tagger.config.Training.Epochs}
	for _, e := range c.history {
		p.Better = append(p.Better, e.Best)
	}
	factor := o.Schedule.At(p)
	c.trainer.SetRate(factor)
	e.Rate = o.LearningRate * math.Pow(o.Decay, float64(e.Epoch-1)) * factor
}

// batches distributes the sentences at random. With a Pool, the sentences of that many
// minibatches are grouped by length. A minibatch takes as long as its longest sentence,
// so similar lengths are faster.
func (c *course) batches(rng *rand.Rand) [][]int {
	cfg := c.tagger.config.Training
	order := rng.Perm(len(c.sentences))
	if cfg.Pool == 1 {
		return slices.Collect(slices.Chunk(order, cfg.Batch))
	}
	var all [][]int
	for part := range slices.Chunk(order, cfg.Pool*cfg.Batch) {
		slices.SortStableFunc(part, func(a, b int) int {
			return cmp.Compare(len(c.sentences[a].Tokens), len(c.sentences[b].Tokens))
		})
		all = slices.AppendSeq(all, slices.Chunk(part, cfg.Batch))
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// score tags Dev, and keeps the network if it is the best so far.
func (c *course) score(ctx context.Context, e *taggers.Epoch) error {
	system, err := c.tagger.Tag(ctx, c.task.Dev)
	if err != nil {
		return err
	}
	gold := make([][]data.Span, len(c.task.Dev))
	for i, d := range c.task.Dev {
		gold[i] = d.Spans
	}
	e.Dev = evaluation.Strict(gold, system)
	c.tagger.card = card.Score(c.card, gold, system)
	if c.metric != nil {
		e.Metric, e.Score = c.metric.name, c.metric.score(c.task.Dev, system)
	}
	if c.bestParams != nil && e.Decisive() <= c.bestEpoch().Decisive() {
		return nil
	}
	c.keep(e)
	return nil
}

// keep makes the network of this epoch the best one.
func (c *course) keep(e *taggers.Epoch) {
	e.Best, c.bestParams = true, nil
	for _, p := range c.tagger.network.All() {
		c.bestParams = append(c.bestParams, slices.Clone(p.Data))
	}
	c.bestCard = c.tagger.card
}

// step does one update on the sentences with these indices.
func (c *course) step(batch []int, rng *rand.Rand, epoch int) (loss float64, tokens int, err error) {
	sentences := make([]tagger.Sentence, len(batch))
	for i, at := range batch {
		sentences[i] = c.hideSingletons(c.sentences[at], rng)
		tokens += len(sentences[i].Tokens)
	}
	loss, err = c.trainer.Step(sentences, rng.Uint64(), epoch-1)
	return loss, tokens, err
}

// hideSingletons replaces tokens that occur only once with the unknown token, each with
// the configured probability, so that the vector of the unknown token is trained. The
// reference replaces them once and for all; here, every epoch draws anew.
func (c *course) hideSingletons(s tagger.Sentence, rng *rand.Rand) tagger.Sentence {
	p := c.tagger.config.Training.UnknownSingletons
	var hidden []int32
	for i, id := range s.Tokens {
		if p > 0 && c.singleton[id] && rng.Float64() < p {
			if hidden == nil {
				hidden = slices.Clone(s.Tokens)
			}
			hidden[i] = unknown
		}
	}
	if hidden != nil {
		s.Tokens = hidden
	}
	return s
}

func (c *course) report(e taggers.Epoch) {
	if c.task.Report.Epoch != nil {
		c.task.Report.Epoch(e)
	}
}

// bestEpoch returns the newest epoch that was better than all before.
func (c *course) bestEpoch() taggers.Epoch {
	for _, e := range slices.Backward(c.history) {
		if e.Best {
			return e
		}
	}
	return taggers.Epoch{}
}

// restoreBest restores the best epoch's parameters.
func (c *course) restoreBest() {
	for i, p := range c.tagger.network.All() {
		copy(p.Data, c.bestParams[i])
	}
	c.tagger.card = c.bestCard
}
