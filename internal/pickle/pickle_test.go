package pickle

import (
	"encoding/binary"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The pickles are those of Python's pickle.dumps(value, 2) if no other origin is given.
func TestParse(t *testing.T) {
	for _, test := range []struct {
		raw  string
		want any
	}{
		{"\x80\x02N.", nil},
		{"\x80\x02\x88\x89\x86q\x00.", Tuple{true, false}},
		{"\x80\x02(K\x01M\xe8\x03J\xfe\xff\xff\xff\x8a\x05\x00\x00\x00\x00\x01\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80\x8a\x00tq\x00.",
			Tuple{int64(1), int64(1000), int64(-2), int64(1 << 32), int64(math.MinInt64), int64(0)}},
		{"\x80\x02\x8a\x02\x00\xff.", int64(-256)}, // by hand
		{"\x80\x03X\x05\x00\x00\x00Jos\xc3\xa9q\x00.", "José"},
		{"\x80\x02]q\x00(K\x01]q\x01K\x02ae.", &List{[]any{int64(1), &List{[]any{int64(2)}}}}},
		{"\x80\x02}q\x00(X\x01\x00\x00\x00aq\x01K\x01K\x02h\x01u.", &Dict{map[any]any{"a": int64(1), int64(2): "a"}}},
		{"\x80\x02}q\x00X\x01\x00\x00\x00aq\x01)s.", &Dict{map[any]any{"a": Tuple{}}}},
		{"\x80\x02K\x01\x85q\x00K\x02K\x03\x86q\x01K\x04K\x05K\x06\x87q\x02\x87q\x03.",
			Tuple{Tuple{int64(1)}, Tuple{int64(2), int64(3)}, Tuple{int64(4), int64(5), int64(6)}}},
		{"\x80\x02ccollections\nOrderedDict\nq\x00)Rq\x01X\x01\x00\x00\x00aq\x02K\x01s}q\x03X\x09\x00\x00\x00_metadataq\x04h\x01sb.",
			&Dict{map[any]any{"a": int64(1)}}},
		{"\x80\x02cm\nf\n(K\x01tQ\x85R.", &Object{Of: "m f", Arguments: Tuple{Persistent{Tuple{int64(1)}}}}}, // by hand
		{"\x80\x02cm\nC\n)\x81}b.", &Object{Of: "m C", Arguments: Tuple{}, State: &Dict{}}},                  // by hand
		{"\x80\x02cm\nC\n.", Global("m C")},                                   // by hand
		{"\x80\x02Nr\x00\x01\x00\x00j\x00\x01\x00\x00\x86.", Tuple{nil, nil}}, // by hand
	} {
		got, err := Parse([]byte(test.raw), "m f", "m C")
		if d := cmp.Diff(test.want, got); err != nil || d != "" {
			t.Errorf("%q: error %v %s", test.raw, err, d)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct{ raw, want string }{
		{"", "at byte 0: the pickle is truncated"},
		{"\x80", "at byte 0: the pickle is truncated"},
		{"\x80\x04N.", "at byte 0: protocol 4 is not supported"},
		{"\x80\x00N.", "at byte 0: protocol 0 is not supported"},
		{"\x80\x02.", "at byte 2: the pickle is malformed"},
		{"\x80\x02NN.", "at byte 4: the pickle is malformed"},
		{"\x80\x02(.", "at byte 3: the pickle is malformed"},
		{"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.", `at byte 2: the pickle names "os.system", which is not supported; it was not called`},
		{"\x80\x02c" + strings.Repeat("x", 1000) + "\ny\n.", `at byte 2: the pickle names "` + strings.Repeat("x", 100) + `.y", which is not supported; it was not called`},
		{"\x80\x02c\xff\n\"\n.", `at byte 2: the pickle names "\xff.\"", which is not supported; it was not called`},
		{"\x80\x02cos", "at byte 2: the pickle is truncated"},
		{"\x80\x02X\xff\xff\xff\xffa", "at byte 2: the pickle is truncated"},
		{"\x80\x02X\x01\x00\x00\x00\xff.", "at byte 2: the pickle is malformed"},
		{"\x80\x02\x8a\x09123456789.", "at byte 2: an integer of 9 bytes is not supported"},
		{"\x80\x02\x8a\x09", "at byte 2: the pickle is truncated"},
		{"\x80\x02R.", "at byte 2: the pickle is malformed"},
		{"\x80\x02)R.", "at byte 3: the pickle is malformed"},
		{"\x80\x02NNR.", "at byte 4: the pickle is malformed"},
		{"\x80\x02cm\nf\nNR.", "at byte 8: the pickle is malformed"},
		{"\x80\x02cm\nf\n(R.", "at byte 8: the pickle is malformed"},
		{"\x80\x02ccollections\nOrderedDict\nN\x85R.", "at byte 29: the pickle is malformed"},
		{"\x80\x02N}b.", "at byte 4: the pickle is malformed"},
		{"\x80\x02}Nb.", "at byte 4: the pickle is malformed"},
		{"\x80\x02Nb.", "at byte 3: the pickle is malformed"},
		{"\x80\x02cm\nf\n)R}b}b.", "at byte 12: the pickle is malformed"},
		{"\x80\x02t.", "at byte 2: the pickle is malformed"},
		{"\x80\x02\x86.", "at byte 2: the pickle is malformed"},
		{"\x80\x02(N\x86.", "at byte 4: the pickle is malformed"},
		{"\x80\x02(Ne.", "at byte 4: the pickle is malformed"},
		{"\x80\x02}(Ne.", "at byte 5: the pickle is malformed"},
		{"\x80\x02Na.", "at byte 3: the pickle is malformed"},
		{"\x80\x02a.", "at byte 2: the pickle is malformed"},
		{"\x80\x02](NNu.", "at byte 6: the pickle is malformed"},
		{"\x80\x02}(Nu.", "at byte 5: the pickle is malformed"},
		{"\x80\x02}]Ns.", "at byte 5: the pickle is malformed"},
		{"\x80\x02NNs.", "at byte 4: the pickle is malformed"},
		{"\x80\x02s.", "at byte 2: the pickle is malformed"},
		{"\x80\x02}(K\x01NK\x01Nu.", "at byte 10: a dictionary has a key twice"},
		{"\x80\x02q\x00.", "at byte 2: the pickle is malformed"},
		{"\x80\x02(q\x00.", "at byte 3: the pickle is malformed"},
		{"\x80\x02h\x00.", "at byte 2: the pickle is malformed"},
		{"\x80\x02Q.", "at byte 2: the pickle is malformed"},
		{"\x80\x02U\x01a.", "at byte 2: the opcode 0x55 is not supported"},
	} {
		if v, err := Parse([]byte(test.raw), "m f"); err == nil || err.Error() != test.want || v != nil {
			t.Errorf("%q: %v, error %v, want %s", test.raw, v, err, test.want)
		}
	}
}

// However a pickle is made, it takes little memory.
func TestMemory(t *testing.T) {
	memo := func(i int) string { return "r" + string(binary.LittleEndian.AppendUint32(nil, uint32(i))) }
	var memos strings.Builder
	for i := range 1 << 19 {
		memos.WriteString(memo(i))
	}
	const n = 4 << 20
	repeat := func(s string) string { return strings.Repeat(s, n/len(s)) }
	for name, raw := range map[string]string{
		"marks":        repeat("("),
		"memo":         "N" + memos.String(),
		"dictionaries": "](" + repeat(strings.Repeat("}K\x01K\x01s", 1000)+"e("),
		"tuples":       "](" + repeat(strings.Repeat("N\x85", 1000)+"e("),
		"lists":        "](" + repeat(strings.Repeat("]Na", 1000)+"e("),
		"texts":        "](" + repeat(strings.Repeat("X\x00\x00\x00\x00", 1000)+"e("),
		"calls":        "](" + repeat(strings.Repeat("cm\nf\n)R", 1000)+"e("),
		"again":        "Nq\x00](" + repeat(strings.Repeat("h\x00", 1000)+"e("),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parse([]byte(raw), "m f")
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "the pickle is larger than that of any supported model") {
			t.Errorf("%s: error %v", name, err)
		}
		if size := (after.TotalAlloc - before.TotalAlloc) >> 20; size > 100 {
			t.Errorf("%s: allocated %d MiB", name, size)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("\x80\x03cdataset\nDataset\nq\x00)\x81q\x01}q\x02(X\x01\x00\x00\x00aK\x01X\x01\x00\x00\x00b](K\x01J\x00\x00\x00\x00eub."))
	f.Add([]byte("\x80\x02ccollections\nOrderedDict\n)RX\x01\x00\x00\x00aK\x01s."))
	f.Add([]byte("\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nK\x00\x8a\x01\x05tQ]Na\x88\x89K\x01\x85K\x01K\x02\x87tRs."))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if v, err := Parse(raw, "dataset Dataset", "torch._utils _rebuild_tensor_v2", "torch FloatStorage"); err != nil && v != nil {
			t.Errorf("value %v, error %v", v, err)
		}
	})
}
