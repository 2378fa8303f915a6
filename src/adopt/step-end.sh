case "${1:-run}" in
  check) is_done ;;
  needs) needs ;;
  run)
    same_cluster
    run
    ;;
  verify) has_worked ;;
  back)
    same_cluster
    undo
    rm -f "done/$step"
    ;;
  *) fail 'write check, run, verify or back' ;;
esac
