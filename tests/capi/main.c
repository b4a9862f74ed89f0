#include "tests/capi/check.h"
#include "tests/capi/example.h"

int main(int count, char** arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: capi_tests SAMPLE\n");
        return 2;
    }
    sample_path = arguments[1];
    test_interface();
    test_misuse();
    test_example();
    printf("%d failed\n", failure_count);
    return failure_count == 0 ? 0 : 1;
}
