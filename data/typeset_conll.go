package data

// CoNLL has the named entities of CoNLL-2002 and CoNLL-2003: they are not PHI, but
// finding them is the same task.
var CoNLL = &TypeSet{
	Name: "conll", Rules: []string{"english", "spanish"}, Format: "conll",
	Types: types(
		group{"PER", Person, "PER"},
		group{"LOC", Place, "LOC"},
		group{"ORG", Organization, "ORG"},
		group{"MISC", Other, "MISC"},
	),
}
