# Run pytest: sh .ci/pytest.sh PYTHON OPTION...
# Tests that fail are run once more: on a busy machine, a process or a server can be very late.
python=$1
shift
"$python" -m pytest "$@"
code=$?
[ $code -eq 1 ] || exit $code
echo "running the tests that failed once more"
exec "$python" -m pytest --last-failed "$@"
