package taggers

// Contents says what a tagger consists of, for people who decide whether to use it and whom they may
// give it to.
type Contents struct {
	Kind       string // key of the node
	Parameters int    // numbers that a training has set; 0: none
	Vocabulary int    // number of the texts that the tagger knows; 0: none
	Entries    string // what these are, in the plural: words, subwords, entries of lists
	// Privacy is a sentence, or several, on whether words of the training notes are among what the tagger knows.
	Privacy string
}

// Inventory is a tagger that tells what it consists of.
type Inventory interface{ Contents() Contents }
