# a shell that has read only a part of this script does nothing
main "$@"
