package job

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// shard is one of several parts of the input. The zero value is the whole input.
type shard struct{ number, of int } // number is from 1 to of

func (s shard) String() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.number, s.of)
}

// has reports whether the notes with a key belong to the shard. The first 8 bytes of the SHA-256 of the key, as a
// big-endian number, modulo the number of shards, are the number of the shard minus one. docs/clusters.md documents this,
// so that others can compute it.
func (s shard) has(key string) bool {
	if s.of == 0 {
		return true
	}
	sum := sha256.Sum256([]byte(key))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.of) == uint64(s.number-1)
}

// takes reports whether an item of a file belongs to the shard:
//
//   - what frames the records of a file, such as the header of CSV, belongs to every shard
//   - a record with notes belongs to the shard of the patient of its first note or, if there is none, of the note's resource, message or id
//   - a record without notes belongs to the shard of its content
//   - a record that cannot be read belongs to the shard of its place in the file, so that one shard reports it
//   - an error that concerns the rest of the file belongs to every shard
func (s shard) takes(it item) bool {
	switch {
	case s.of == 0 || it.record != nil && it.record.Frame:
		return true
	case it.err == nil && len(it.notes) > 0:
		first := it.notes[0].note.Document
		return s.has(cmp.Or(first.Patient, it.record.Notes[0].Resource, first.ID))
	case it.err == nil:
		return s.has(string(it.record.Raw))
	}
	e, ok := errors.AsType[*data.Error](it.err)
	return !ok || e.Line == 0 || it.rest || s.has(fmt.Sprintf("%s:%d", it.file.auditName(), e.Line))
}

// parseShard reads a value of --shard: i/n, auto or auto/n. getenv returns a variable of the environment, as os.Getenv does.
func parseShard(text string, getenv func(string) string) (s shard, err error) {
	number, of, slash := strings.Cut(text, "/")
	if slash {
		if s.of, err = strconv.Atoi(of); err != nil || s.of < 1 {
			return s, fmt.Errorf("--shard %q: %q is not a number of shards", text, of)
		}
	}
	switch {
	case text == "":
		return shard{}, nil
	case number == "auto":
		if s, err = shardOfTask(s.of, getenv); err != nil {
			return s, fmt.Errorf("--shard %s: %w", text, err)
		}
		return s, nil
	case !slash:
		return s, fmt.Errorf("--shard %q is not of the form i/n, auto or auto/n", text)
	}
	if s.number, err = strconv.Atoi(number); err != nil || s.number < 1 || s.number > s.of {
		return s, fmt.Errorf("--shard %q: %q is not a number from 1 to %d", text, number, s.of)
	}
	return s, nil
}

// The variables by which a task of an array of Slurm, or a pod of an indexed job of Kubernetes, learns its number.
const (
	slurmTask       = "SLURM_ARRAY_TASK_ID"
	kubernetesIndex = "JOB_COMPLETION_INDEX"
)

// shardOfTask returns the shard of a task of Slurm or Kubernetes. of is the number of shards, or 0 if that of Slurm's array
// counts.
func shardOfTask(of int, getenv func(string) string) (shard, error) {
	slurm, kubernetes := getenv(slurmTask) != "", getenv(kubernetesIndex) != ""
	switch {
	case slurm && kubernetes:
		return shard{}, fmt.Errorf("both %s and %s are set: give the number of the shard, as in 3/8", slurmTask, kubernetesIndex)
	case slurm && of == 0:
		return shardOfArray(getenv)
	case slurm:
		number, err := natural(slurmTask, getenv)
		if err == nil && (number < 1 || number > of) {
			err = fmt.Errorf("%s is %d, not from 1 to %d: submit the array with --array=1-%[3]d", slurmTask, number, of)
		}
		return shard{number, of}, err
	case kubernetes && of == 0:
		return shard{}, fmt.Errorf("%s is set, but Kubernetes does not say how many pods the job has: give the number, as in auto/8", kubernetesIndex)
	case kubernetes:
		index, err := natural(kubernetesIndex, getenv)
		if err == nil && index >= of {
			err = fmt.Errorf("%s is %d, not from 0 to %d: give the completions of the job as the number of shards", kubernetesIndex, index, of-1)
		}
		return shard{index + 1, of}, err
	}
	return shard{}, fmt.Errorf("neither %s nor %s is set", slurmTask, kubernetesIndex)
}

// shardOfArray returns the shard of a task of an array of Slurm whose size is the number of shards. The array must be
// complete: if some tasks of an earlier array were submitted again, as with --array=3,5, its size would be another.
func shardOfArray(getenv func(string) string) (shard, error) {
	var numbers [5]int
	for i, name := range []string{slurmTask, "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"} {
		var err error
		if numbers[i], err = natural(name, getenv); err != nil {
			return shard{}, err
		}
	}
	id, count, from, to, step := numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
	switch {
	case count < 1 || step < 1 || id < from || id > to || (id-from)%step != 0 || (to-from)/step+1 != count:
		return shard{}, fmt.Errorf("task %d of an array of %d tasks from %d to %d in steps of %d, which is not a complete array: give the number of shards, as in auto/8", id, count, from, to, step)
	case from > 1 || count == 1:
		return shard{}, fmt.Errorf("an array of %d tasks from %d to %d may be a part of an earlier array: give the number of shards, as in auto/8", count, from, to)
	}
	return shard{(id-from)/step + 1, count}, nil
}

// natural returns the value of a variable that contains a number.
func natural(name string, getenv func(string) string) (int, error) {
	text := getenv(name)
	if text == "" {
		return 0, fmt.Errorf("%s is not set", name)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is %q, not a number", name, text)
	}
	return n, nil
}
