package data

// Open returns a set with the types of s that has every other well-formed name as
// a type, too, as Any does.
func (s *TypeSet) Open() *TypeSet {
	open := *s
	open.open = true
	return &open
}
