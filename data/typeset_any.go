package data

// Any is the open set: every well-formed name is a type of it.
var Any = &TypeSet{Name: "any", Rules: []string{"english", "spanish"}, open: true}

// usual describes names of types that no built-in set has, but that are common
// elsewhere.
var usual = &TypeSet{Types: types(
	group{"NAME", Person, "PERSON"},
	group{"CONTACT", Phone, "CONTACT"},
)}
