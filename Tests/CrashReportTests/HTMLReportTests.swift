// SPDX-License-Identifier: Apache-2.0

import CrashReport
import Snapshot
import Testing

/// What an HTML page says.
@Suite struct HTMLReportTests {
    @Test("The page says what died, why and where")
    func firstScreen() {
        let page = HTMLReport(Sample.everythingExplained()).text
        #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
        #expect(page.contains("<h1>sampled "))
        #expect(page.contains("SEGV_MAPERR: address not mapped to object"))
        #expect(page.contains("Fatal error: no ledger"))
        #expect(page.contains("<code>Ledger.write(_:)</code><span class=\"tag\">inlined</span>"))
        #expect(page.contains(">async caller</span>"))
        #expect(page.contains("… 99 frames: <code>descend(into:)</code> repeated 99 more times"))
        #expect(page.contains("The stack ends here: the memory at 0x10 was not captured."))
    }
}
