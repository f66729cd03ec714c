// SPDX-License-Identifier: Apache-2.0
//
// The mark of the process that armed a file, in the page that fork(2) empties.

#include "epitaph_process.h"

epitaph_process_page *epitaph_process_page_now = NULL;

bool epitaph_process_is_owner(void) {
    const epitaph_process_page *page = __atomic_load_n(&epitaph_process_page_now, __ATOMIC_ACQUIRE);
    return page != NULL && __atomic_load_n(&page->owner_mark, __ATOMIC_ACQUIRE) != 0;
}
