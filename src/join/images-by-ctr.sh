import_image() { ctr -n k8s.io images import "$1"; }
