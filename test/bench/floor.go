package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"countersign/chat/stream"
	"countersign/model"
	"countersign/model/demo"
)

// floor is the bare loop of a turn: it calls the model, answers its tool calls from memory, and streams. It checks and
// stores nothing.
type floor struct {
	client *model.Client
}

func serveFloor(address, modelURL string) error {
	f := &floor{client: model.New(model.Options{BaseURL: modelURL, APIKey: os.Getenv("COUNTERSIGN_DEMO_KEY")})}
	all, events := http.NewServeMux(), &plainEvents{}
	all.Handle("/", f)
	all.HandleFunc("GET /events", events.follow)
	all.HandleFunc("POST /change", events.change)
	all.HandleFunc("GET /thing", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(floorOutput)) })
	return http.ListenAndServe(address, all)
}

const floorOutput = `{"teams":[{"description":"An example team. Rename it, or add people to it.","id":"01a1fd51-7724-7e84-ac78-72dd136ad860","name":"Platform"}]}`

func (f *floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Message string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	send := func(chunk string) {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", chunk)
		_ = control.Flush()
	}
	send(stream.Start("msg", json.RawMessage("{}")))
	messages := []model.Message{{Role: model.RoleUser, Content: in.Message}}
	for step := 1; ; step++ {
		answer, err := f.step(r.Context(), step, messages, send)
		if err != nil || len(answer.ToolCalls) == 0 {
			break
		}
		messages = append(messages, model.Message{Role: model.RoleAssistant, Content: answer.Text, ToolCalls: answer.ToolCalls})
		for _, c := range answer.ToolCalls {
			send(stream.ToolOutput(c.ID, json.RawMessage(floorOutput)))
			messages = append(messages, model.Message{Role: model.RoleTool, ToolCallID: c.ID, Content: floorOutput})
		}
		send(stream.FinishStep())
	}
	send(stream.Finish("stop", json.RawMessage("{}")))
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

func (f *floor) step(ctx context.Context, step int, messages []model.Message, send func(string)) (model.Response, error) {
	id := fmt.Sprint(step)
	open := false
	send(stream.StartStep())
	answer, err := f.client.Stream(ctx, model.Request{
		Model: demo.Scripted, Messages: messages,
		Tools: []model.Tool{{Name: toolName, Description: "List teams", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}},
	}, func(d model.Delta) {
		if d.Text == "" {
			return
		}
		if !open {
			send(stream.TextStart(id))
			open = true
		}
		send(stream.TextDelta(id, d.Text))
	})
	if open {
		send(stream.TextEnd(id))
	}
	for _, c := range answer.ToolCalls {
		send(stream.ToolInput(c.ID, c.Name, json.RawMessage(c.Arguments)))
	}
	return answer, err
}
