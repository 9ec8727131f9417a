//go:build !amd64

package kernel

func (q *Int8) pack(value func(i, j int) int8) { q.packGeneric(value) }
func (q *Int8) addMul(c, a Matrix)             { q.addMulGeneric(c, a) }
