package hf

type subtoken struct {
	ID         int32
	Start, End int
}
