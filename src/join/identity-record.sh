applied="$applied
$(cat /var/lib/edge-nodepools/machine 2>/dev/null)"
