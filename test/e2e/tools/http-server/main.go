// http-server PORT answers every request with the name of its node. Without a port it waits, as the pause program of a Pod must.
package main

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) > 1 {
		go serve(os.Args[1])
	}
	// the first process of a container ignores signals for which it has no handler
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT)
	<-asked
}

func serve(port string) {
	http.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(answer, "this is %s\n", os.Getenv("NODE_NAME"))
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+port, nil))
	os.Exit(1)
}
