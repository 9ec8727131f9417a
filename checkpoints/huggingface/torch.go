package huggingface

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/internal/pickle"
	"github.com/lethe-deid/lethe/internal/sorting"
	"github.com/lethe-deid/lethe/internal/tensorfile"
)

// torch.save writes a zip archive with a folder, of any name, which contains
//
//	data.pkl     a dictionary of tensors, each with its shape and strides, and the storage that it is a view of
//	data/KEY     the numbers of a storage
//	byteorder    little or big; older versions, which write little-endian numbers on the usual machines, omit it

// The functions and classes that the dictionary of a model names.
const (
	rebuildTensor    = pickle.Global("torch._utils _rebuild_tensor_v2")
	rebuildParameter = pickle.Global("torch._utils _rebuild_parameter")
)

var storages = map[pickle.Global]tensorfile.Type{
	"torch FloatStorage": tensorfile.F32, "torch HalfStorage": tensorfile.F16, "torch BFloat16Storage": tensorfile.BF16, "torch DoubleStorage": tensorfile.F64,
	"torch LongStorage": "I64", "torch IntStorage": "I32", "torch ShortStorage": "I16", "torch CharStorage": "I8", "torch ByteStorage": "U8", "torch BoolStorage": "BOOL",
}

// readTorch returns the tensors of a file that torch.save wrote.
func readTorch(f *file, left *budget) ([]stored, error) {
	start := make([]byte, min(f.size, 4))
	if _, err := f.ReadAt(start, 0); err != nil {
		return nil, err
	}
	if len(start) > 0 && start[0] == 0x80 { // a pickle
		return nil, fmt.Errorf("is in the format of PyTorch before version 1.6, which is not supported; convert it with Python: "+
			"import torch; torch.save(torch.load(%[1]q, weights_only=True), %[1]q)", f.name)
	}
	members, err := readArchive(f, left)
	if err != nil {
		return nil, err
	}
	root := ""
	for name := range members {
		if path.Base(name) == "data.pkl" && strings.Count(name, "/") == 1 {
			if root != "" {
				return nil, errors.New("contains more than one data.pkl")
			}
			root = path.Dir(name)
		}
	}
	if root == "" {
		return nil, errors.New("does not contain data.pkl: torch.save did not write it")
	}
	read := func(name string) ([]byte, error) {
		m := members[root+"/"+name]
		if err := left.take(m.size); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		raw := make([]byte, m.size)
		_, err := f.ReadAt(raw, m.begin)
		return raw, err
	}
	order, err := read("byteorder")
	if err != nil {
		return nil, err
	}
	if len(order) > 0 && string(order) != "little" {
		return nil, errors.New("byteorder: the numbers are not little-endian, which is not supported")
	}
	raw, err := read("data.pkl")
	if err != nil {
		return nil, err
	}
	known := []pickle.Global{rebuildTensor, rebuildParameter}
	for class := range storages {
		known = append(known, class)
	}
	v, err := pickle.Parse(raw, known...)
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	state, ok := v.(*pickle.Dict)
	if !ok {
		return nil, errors.New("data.pkl: is not a dictionary of tensors")
	}
	tensors := make([]stored, 0, len(state.Items))
	for key, v := range state.Items {
		name, ok := key.(string)
		if !ok || name == "" || len(name) > maxMemberName {
			return nil, errors.New("data.pkl: a key is not the name of a tensor")
		}
		t, err := readView(v, root+"/data/", members)
		if err != nil {
			return nil, fmt.Errorf("data.pkl: %q %w", name, err)
		}
		t.name, t.file = name, f
		tensors = append(tensors, t)
	}
	sorting.By(tensors, func(a, b stored) int { return strings.Compare(a.name, b.name) })
	return tensors, nil
}

var errView = errors.New("is not a tensor in the way that torch.save writes it")

// readView reads a tensor, which is a view of a storage: a member below the folder data.
func readView(v any, data string, members map[string]member) (t stored, err error) {
	o, ok := v.(*pickle.Object)
	if ok && o.Of == rebuildParameter && len(o.Arguments) > 0 && o.State == nil { // tensor, requires_grad, backward_hooks
		o, ok = o.Arguments[0].(*pickle.Object)
	}
	switch {
	case !ok:
		return t, errors.New("is not a tensor")
	case o.Of != rebuildTensor || o.State != nil || len(o.Arguments) != 6:
		return t, errView // a seventh argument says that the numbers are negated or conjugated
	}
	// storage, storage_offset, size, stride, requires_grad, backward_hooks
	reference, _ := o.Arguments[0].(pickle.Persistent)
	offset, ok := o.Arguments[1].(int64)
	shape, ok2 := integers(o.Arguments[2])
	strides, ok3 := integers(o.Arguments[3])
	id, _ := reference.ID.(pickle.Tuple) // "storage", class, key, device, number of elements
	if !ok || !ok2 || !ok3 || len(shape) != len(strides) || len(id) != 5 || id[0] != "storage" {
		return t, errView
	}
	class, _ := id[1].(pickle.Global)
	key, _ := id[2].(string)
	elements, ok := id[4].(int64)
	t.format = storages[class]
	width := int64(t.format.Size())
	if !ok || width == 0 {
		return t, errView
	}
	m, ok := members[data+key]
	switch {
	case !ok:
		return t, fmt.Errorf("refers to the storage %q, which is missing", key)
	case elements < 0 || elements > m.size/width || m.size != elements*width:
		return t, fmt.Errorf("refers to a storage of %d numbers of %d bytes, but the file has %d bytes for it", elements, width, m.size)
	}
	n, ok := tensorfile.Volume(shape)
	if !ok || offset < 0 || offset > elements || int64(n) > elements-offset {
		return t, fmt.Errorf("has the shape %v from number %d on, which its storage of %d numbers does not contain", shape, offset, elements)
	}
	t.shape, t.begin = shape, m.begin+offset*width
	if t.strides, err = order(shape, strides); err != nil {
		return t, err
	}
	return t, nil
}

// maxAxes is the maximum number of axes, so that errors can contain shapes.
const maxAxes = 16

func integers(v any) (numbers []int, ok bool) {
	tuple, ok := v.(pickle.Tuple)
	if !ok || len(tuple) > maxAxes {
		return nil, false
	}
	numbers = make([]int, len(tuple))
	for i, v := range tuple {
		n, ok := v.(int64)
		if !ok || int64(int(n)) != n {
			return nil, false
		}
		numbers[i] = int(n)
	}
	return numbers, true
}

// order returns nil for the strides of row-major order, and the strides for another order of the axes, as
// that of a transposed matrix. It returns an error for others, which have gaps between the numbers or use
// some of them more than once.
func order(shape, strides []int) ([]int, error) {
	axes := make([]int, 0, len(shape))
	for i, n := range shape {
		switch {
		case n == 0: // no numbers, in any order
			return nil, nil
		case n > 1: // the stride of a single element does not matter
			axes = append(axes, i)
		}
	}
	byStride := slices.Clone(axes)
	slices.SortStableFunc(byStride, func(a, b int) int { return cmp.Compare(strides[b], strides[a]) })
	step := 1
	for _, axis := range slices.Backward(byStride) {
		if strides[axis] != step {
			return nil, fmt.Errorf("has the shape %v and the strides %v, which are not supported: the numbers are not contiguous", shape, strides)
		}
		step *= shape[axis]
	}
	if slices.Equal(axes, byStride) {
		return nil, nil
	}
	return strides, nil
}
