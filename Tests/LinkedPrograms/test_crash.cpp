// SPDX-License-Identifier: Apache-2.0
//
// Ends by the test crash that throws, or prints why it cannot.

#include <cstdio>
#include <epitaph.h>
#include <stdexcept>

int main(int count, char **arguments) {
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    epitaph_error error;
    // So that the C++ runtime is linked.
    if (count < 2) throw std::runtime_error("the database is missing");
    options.database_path = arguments[1];
    options.bundle_id = "test-crash";
    options.allows_test_crashes = 1;
    if (epitaph_start(&options, &error) == EPITAPH_OK)
        epitaph_test_crash(EPITAPH_TEST_CRASH_CXX_EXCEPTION, &error);
    std::puts(error.message);
    return 1;
}
