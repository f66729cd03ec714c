// SPDX-License-Identifier: Apache-2.0

#include <epitaph.h>
#include <stdio.h>

int main(int count, char **arguments) {
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = count > 1 ? arguments[1] : "";
    options.bundle_id = "org.example.neighbour";
    epitaph_error error;
    if (epitaph_start(&options, &error) != EPITAPH_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    epitaph_annotation_set("request", "GET /");
    printf("used CEpitaph %s\n", epitaph_version());
    return 0;
}
