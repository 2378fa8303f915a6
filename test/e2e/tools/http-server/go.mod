module http-server

go 1.22
