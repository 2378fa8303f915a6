// http-server PORT answers every request with the name of its node. Without a port it waits, as the pause program of a Pod must.
// http-server say prints the name of its node, and ends.
// http-server serve-hostname --port=PORT answers like the image agnhost of Kubernetes: with the name of its host.
package main

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "say" {
		fmt.Println("this is " + os.Getenv("NODE_NAME"))
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "serve-hostname" {
		host, _ := os.Hostname()
		go serve(strings.TrimPrefix(os.Args[2], "--port="), host)
	} else if len(os.Args) > 1 {
		go serve(os.Args[1], "this is "+os.Getenv("NODE_NAME")+"\n")
	}
	// the first process of a container ignores signals for which it has no handler
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT)
	<-asked
}

func serve(port, answers string) {
	fmt.Print(answers)
	http.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(answer, answers)
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+port, nil))
	os.Exit(1)
}
