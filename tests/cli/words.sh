# Words of the transcripts beside drx itself.

# refused WORDS..., misused WORDS...: what a run of drx says that ends with exit code 1, or with 2 when it was called wrongly.
refused() { ends 1 "$@"; }
misused() { ends 2 "$@"; }
ends() {
    local expected=$1 code=0
    shift
    drx "$@" 2>&1 || code=$?
    ((code == expected)) || echo "[$code], expected [$expected]"
}

# alike [PATTERN]: lines that differ in their first text between quotes alone, or in that of the pattern, as one line.
alike() {
    perl -ne 'BEGIN { $pattern = @ARGV ? shift : q(\x27[^\x27]*\x27) }
        ($head, $text, $tail) = /^(?<head>.*?)(?<text>$pattern)(?<tail>.*)/s ? @+{qw(head text tail)} : ($_);
        print defined $text && "$head $tail" eq $before ? ", $text" : "$end$head$text";
        ($before, $end) = ("$head $tail", $tail);
        END { print $end }' "$@"
}

# numbers FILE.npy EXPRESSION: a file with the value of an expression of NumPy.
numbers() {
    /usr/bin/python3 -c 'import sys; from numpy import *; save(sys.argv[1], eval(sys.argv[2]))' "$@"
}
