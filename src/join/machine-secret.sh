# The token comes last. A failure or a signal removes it.
trap 'status=$?; rm -f "$secret"; exit $status' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
