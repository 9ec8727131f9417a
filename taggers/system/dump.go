package system

import (
	"path"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/crf"
)

// CRF is one of the CRFs of a system.
type CRF struct {
	Member string // its place in the tree, as in taggers.Epoch; "" for the system itself
	*crf.Tagger
}

// CRFs lists those of a model that Load or a Learner made, in the order of the tree.
func CRFs(model data.Tagger) []CRF { return crfs(model, "") }

func crfs(model data.Tagger, name string) []CRF {
	n, ok := model.(*node)
	if !ok {
		return nil
	}
	if t, ok := n.own.(*crf.Tagger); ok {
		return []CRF{{name, t}}
	}
	all := crfs(n.own, name) // of one that was trained before
	for i, c := range n.config.children() {
		all = append(all, crfs(n.children[i], path.Join(name, c.name))...)
	}
	return all
}
