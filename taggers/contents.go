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
	// MinPatients is the number of patients in whose training notes each of these words occurs at least; 0: no
	// such number is known, or the tagger knows no words of notes.
	MinPatients int
	// Unlearned reports that the tagger has learnt nothing from notes: people wrote what it knows, or it was given to it.
	Unlearned bool
}

// Inventory is a tagger that tells what it consists of.
type Inventory interface{ Contents() Contents }

// Verbatim is a tagger that has texts of its training notes, such as words, in its files.
type Verbatim interface {
	// Texts yields them. Some may be of other origin, such as words of pretrained vectors.
	Texts(yield func(string) bool)
}
