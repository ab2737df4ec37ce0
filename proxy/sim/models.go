package sim

type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

type models struct {
	Object string  `json:"object"`
	Data   []model `json:"data"`
}

func modelList(ids []string) models {
	list := models{Object: "list", Data: []model{}}
	for _, id := range ids {
		list.Data = append(list.Data, model{ID: id, Object: "model", Created: epoch, OwnedBy: "sim"})
	}
	return list
}
