# Run pytest: sh .ci/pytest.sh PYTHON OPTION...
# Tests that fail are run once more: on a busy machine, a process or a server can be very late. Their names are printed,
# and added to the file that SECOND_RUNS names: .ci/run accepts five of them in all.
python=$1
shift
# Where it is set, as in many images of Python, each of the thousand processes of the tests would compile the package.
unset PYTHONDONTWRITEBYTECODE
"$python" -m pytest --cache-clear "$@"
code=$?
[ $code -eq 1 ] || exit $code
failed=$("$python" -c 'import json; print(*json.load(open(".pytest_cache/v/cache/lastfailed")), sep="\n")')
echo "these tests failed and are run once more:"
echo "$failed"
[ -z "$SECOND_RUNS" ] || echo "$failed" >>"$SECOND_RUNS"
exec "$python" -m pytest --last-failed "$@"
