package tensorfile

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"
)

// Every bfloat16 number is the float32 number of its bits, and float64 numbers are rounded as big.Float does.
func TestFloats(t *testing.T) {
	one := make([]float32, 1)
	for bits := range 1 << 16 {
		raw := binary.LittleEndian.AppendUint16(nil, uint16(bits))
		BF16.Floats(one, raw)
		if math.Float32bits(one[0]) != uint32(bits)<<16 {
			t.Fatalf("bfloat16 %#x is %v", bits, one[0])
		}
		F16.Floats(one, raw)
		if exponent, fraction := bits>>10&31, float64(bits&1023); exponent != 31 {
			want := math.Ldexp(fraction, -24)
			if exponent > 0 {
				want = math.Ldexp(1024+fraction, exponent-25)
			}
			if bits>>15 == 1 {
				want = -want
			}
			if one[0] != float32(want) {
				t.Fatalf("float16 %#x is %v, want %v", bits, one[0], want)
			}
		}
	}
	for _, x := range []float64{0, 1, -0.1, math.Pi, 1e-45, 1e-46, math.MaxFloat32, 1 + 0x1p-24, 1 + 0x1.8p-23} {
		F64.Floats(one, binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		if want, _ := big.NewFloat(x).Float32(); one[0] != want {
			t.Errorf("%v becomes %v, want %v", x, one[0], want)
		}
		F32.Floats(one, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(x))))
		if one[0] != float32(x) {
			t.Errorf("%v becomes %v", float32(x), one[0])
		}
	}
}

func TestVolume(t *testing.T) {
	for _, test := range []struct {
		shape []int
		n     int
		ok    bool
	}{
		{nil, 1, true}, {[]int{2, 3}, 6, true}, {[]int{0, math.MaxInt}, 0, true}, {[]int{math.MaxInt, 0}, 0, false}, {[]int{-1}, 0, false},
		{[]int{1 << 32, 1 << 32}, 0, false}, {[]int{math.MaxInt / 8}, math.MaxInt / 8, true}, {[]int{math.MaxInt/8 + 1}, 0, false},
	} {
		if n, ok := Volume(test.shape); ok != test.ok || n != test.n && ok {
			t.Errorf("%v: %d, %v", test.shape, n, ok)
		}
	}
}

// Whatever a header says, its tensors cover the bytes after it.
func FuzzParseHeader(f *testing.F) {
	f.Add([]byte(`{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`), uint16(8))
	f.Add([]byte(`{"a":{"dtype":"I64","shape":[],"data_offsets":[2,10]},"b":{"dtype":"BF16","shape":[1,1],"data_offsets":[0,2]},"c":{"dtype":"BOOL","shape":[0],"data_offsets":[0,0]}}  `), uint16(10))
	f.Fuzz(func(t *testing.T, header []byte, size uint16) {
		entries, metadata, err := ParseHeader(header, int(size))
		if err != nil {
			if entries != nil || metadata != nil || len(err.Error()) > 8*maxName {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
			return
		}
		end := 0
		names := map[string]bool{}
		for _, e := range entries {
			n, ok := Volume(e.Shape)
			if e.Begin != end || e.End-e.Begin != n*e.Type.Size() || !ok || names[e.Name] || e.Name == MetadataKey {
				t.Errorf("%+v", e)
			}
			end = e.End
			names[e.Name] = true
		}
		if end != int(size) {
			t.Errorf("%d bytes of %d", end, size)
		}
	})
}
