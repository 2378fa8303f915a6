// yaml-judge reads YAML as Kubernetes clients do. Each line of its input is a JSON list [mode, text]; each line of its output is the answer:
//
//	value   the text is one document, as sigs.k8s.io/yaml reads it
//	stream  the text is a stream, as kubectl reads it: a list of documents
//
// An answer is {"value": …} or {"error": …}. Numbers in it are {"number": "…"}, because JavaScript cannot represent all of them.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	kubernetes "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func main() {
	input := json.NewDecoder(os.Stdin)
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	for {
		var question [2]string
		if err := input.Decode(&question); err == io.EOF {
			return
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		answer := map[string]any{}
		value, err := read(question[0], []byte(question[1]))
		if err != nil {
			answer["error"] = err.Error()
		} else {
			answer["value"] = value
		}
		encoder := json.NewEncoder(output)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(answer); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func read(mode string, text []byte) (any, error) {
	switch mode {
	case "value":
		return document(text)
	case "stream":
		documents := []any{}
		reader := kubernetes.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
		for {
			part, err := reader.Read()
			if err == io.EOF {
				return documents, nil
			} else if err != nil {
				return nil, err
			}
			value, err := document(part)
			if err != nil {
				return nil, err
			}
			documents = append(documents, value)
		}
	}
	return nil, errors.New("unknown mode " + mode)
}

func document(text []byte) (any, error) {
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(asJSON))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return marked(value), nil
}

// marked has a map in place of every number.
func marked(value any) any {
	switch typed := value.(type) {
	case json.Number:
		return map[string]any{"number": string(typed)}
	case []any:
		for index, item := range typed {
			typed[index] = marked(item)
		}
	case map[string]any:
		for key, item := range typed {
			typed[key] = marked(item)
		}
	}
	return value
}
