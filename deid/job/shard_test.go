package job

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseShard(t *testing.T) {
	slurm := func(id, count, from, to, step string) map[string]string {
		return map[string]string{
			"SLURM_ARRAY_TASK_ID": id, "SLURM_ARRAY_TASK_COUNT": count, "SLURM_ARRAY_TASK_MIN": from, "SLURM_ARRAY_TASK_MAX": to, "SLURM_ARRAY_TASK_STEP": step,
		}
	}
	index := func(i string) map[string]string { return map[string]string{"JOB_COMPLETION_INDEX": i} }
	both := slurm("1", "8", "1", "8", "1")
	both["JOB_COMPLETION_INDEX"] = "0"
	for _, test := range []struct {
		text string
		env  map[string]string
		want string // the shard, or a part of the error
	}{
		{"", both, ""},
		{"1/1", nil, "1/1"},
		{"3/8", both, "3/8"},
		{"0/8", nil, `"0" is not a number from 1 to 8`},
		{"9/8", nil, `"9" is not a number from 1 to 8`},
		{"3/0", nil, `"0" is not a number of shards`},
		{"3", nil, "not of the form"},
		{"3/x", nil, `"x" is not a number of shards`},
		{"auto", nil, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"},
		{"auto", both, "both SLURM_ARRAY_TASK_ID and JOB_COMPLETION_INDEX are set"},
		{"auto", slurm("3", "8", "1", "8", "1"), "3/8"},
		{"auto", slurm("0", "8", "0", "7", "1"), "1/8"},
		{"auto", slurm("20", "4", "0", "30", "10"), "3/4"},
		{"auto", slurm("25", "4", "0", "30", "10"), "not a complete array"},
		{"auto", slurm("5", "3", "1", "7", "1"), "not a complete array"},              // --array=1,5,7
		{"auto", slurm("5", "3", "4", "6", "1"), "may be a part of an earlier array"}, // --array=4-6
		{"auto", slurm("3", "1", "3", "3", "1"), "may be a part of an earlier array"}, // --array=3
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "3"}, "COUNT is not set"},   // sbatch does not do this
		{"auto", slurm("three", "8", "1", "8", "1"), `TASK_ID is "three", not a number`},
		{"auto/8", slurm("3", "1", "3", "3", "1"), "3/8"},
		{"auto/8", slurm("0", "8", "0", "7", "1"), "submit the array with --array=1-8"},
		{"auto/8", index("7"), "8/8"},
		{"auto/8", index("8"), "JOB_COMPLETION_INDEX is 8, not from 0 to 7"},
		{"auto", index("7"), "give the number, as in auto/8"},
		{"auto/8", index("-1"), "not a number"},
	} {
		s, err := parseShard(test.text, func(name string) string { return test.env[name] })
		got := s.String()
		if err != nil {
			got = err.Error()
		}
		if got != test.want && (err == nil || test.want == "" || !strings.Contains(got, test.want)) {
			t.Errorf("%s with %v: got %s, want %s", test.text, test.env, got, test.want)
		}
	}
}

// The numbers were computed with Python:
//
//	int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % 8 + 1
func TestShardIsThatOfTheDocumentation(t *testing.T) {
	for key, number := range map[string]int{"7": 7, "12": 5, "p-0001": 6, "Ñ": 7, " ": 8} {
		for i := 1; i <= 8; i++ {
			if (shard{i, 8}).has(key) != (i == number) {
				t.Errorf("%q: shard %d", key, i)
			}
		}
	}
	sizes := make([]int, 5)
	for key := range 10000 {
		for i := range sizes {
			if (shard{i + 1, len(sizes)}).has(fmt.Sprint(key)) {
				sizes[i]++
			}
		}
	}
	for i, n := range sizes {
		if n < 1800 || n > 2200 {
			t.Errorf("shard %d/5 has %d of 10000 patients", i+1, n)
		}
	}
}
