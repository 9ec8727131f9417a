package c45

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"testing"
)

func encoded(t testing.TB, d *Data, rounds int) (*Boosted, []byte) {
	t.Helper()
	boosted, err := Boost(t.Context(), d, rounds, Options{MinInstances: 2, Confidence: 0.35, Raising: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := boosted.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return boosted, raw
}

func TestEncodingAndBack(t *testing.T) {
	for _, d := range []*Data{mustRead(t, golf), randomData(rand.New(rand.NewPCG(5, 6)), 200, true)} {
		boosted, raw := encoded(t, d, 5)
		var decoded Boosted
		if err := decoded.UnmarshalBinary(raw); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(boosted, &decoded) {
			t.Errorf("got\n%v\nwant\n%v", decoded.Trees, boosted.Trees)
		}
	}
}

// checksummed replaces the checksum at the end by one that matches.
func checksummed(raw []byte) []byte {
	if len(raw) < 4 {
		return raw
	}
	end := len(raw) - 4
	return binary.LittleEndian.AppendUint32(raw[:end:end], crc32.ChecksumIEEE(raw[:end]))
}

func TestDamagedEncodingsAreErrors(t *testing.T) {
	_, raw := encoded(t, mustRead(t, golf), 3)
	for i := range raw {
		var b Boosted
		if err := b.UnmarshalBinary(raw[:i]); err == nil {
			t.Fatalf("the first %d bytes are accepted", i)
		}
		if err := b.UnmarshalBinary(checksummed(append([]byte{}, raw[:i]...))); err == nil {
			t.Fatalf("the first %d bytes are accepted with a checksum", i)
		}
		damaged := append([]byte{}, raw...)
		damaged[i] ^= 1 << (i % 8)
		if err := b.UnmarshalBinary(damaged); err == nil {
			t.Fatalf("a wrong byte %d is accepted", i)
		}
		if b.Trees != nil {
			t.Fatal("an error changes the ensemble")
		}
	}
	if err := new(Boosted).UnmarshalBinary(checksummed(append(raw, 0))); err == nil {
		t.Error("another byte is accepted")
	}
	if _, err := new(Boosted).MarshalBinary(); err == nil {
		t.Error("an ensemble of no trees is encoded")
	}
}

// TestManyBranchesInFewBytes is about a file of few bytes whose nodes all claim
// branches for a long list of values: they would have filled the memory.
func TestManyBranchesInFewBytes(t *testing.T) {
	raw := append([]byte(magic), 1, 0)
	values := 20_000
	raw = binary.AppendUvarint(raw, uint64(values))
	raw = append(raw, make([]byte, values)...) // empty names
	raw = append(raw, 2, 0, 0, 1)
	raw = appendFloat64(raw, 1)
	for range 100_000 {
		raw = appendFloat32(appendFloat32(append(raw, 1, 0), 1), 0)
	}
	if err := new(Boosted).UnmarshalBinary(checksummed(append(raw, 0, 0, 0, 0))); err == nil {
		t.Error("it is accepted")
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	_, raw := encoded(f, mustRead(f, golf), 3)
	f.Add(raw)
	_, raw = encoded(f, randomData(rand.New(rand.NewPCG(7, 8)), 60, false), 2)
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		var b Boosted
		if b.UnmarshalBinary(checksummed(raw)) != nil {
			return
		}
		row := make([]float32, len(b.Attributes()))
		if class, share := b.Classify(row); class < 0 || class >= len(b.Classes()) || !(share >= 0 && share <= 1) {
			t.Errorf("class %d, share %v", class, share)
		}
		again, err := b.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var c Boosted
		if err := c.UnmarshalBinary(again); err != nil || !reflect.DeepEqual(b, c) {
			t.Errorf("decoded, encoded and decoded: %v", err)
		}
	})
}
