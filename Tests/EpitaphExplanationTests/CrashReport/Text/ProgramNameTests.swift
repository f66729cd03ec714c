// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphValues
import Testing

/// What the program is called in a headline.
@Suite struct ProgramNameTests {
    @Test(
        "A program that goes by another name than its file is told with both",
        arguments: [
            ("/usr/bin/redis-check-rdb", "redis-server", "redis-server (/usr/bin/redis-check-rdb)"),
            ("/usr/bin/redis-check-rdb", "redis-check-rdb", "redis-check-rdb"),
            ("/srv/a-program-with-a-long-name", "a-program-with-", "a-program-with-a-long-name"),
            ("/srv/svc (deleted)", "svc", "svc"), ("/srv/svc", nil, "svc"),
        ] as [(String, String?, String)])
    func names(path: String, name: String?, words: String) {
        var sample = DiagnosisSample(address: 0x10, pageFault: 6)
        sample.snapshot.modules = [
            ModuleSnapshot(path: path, addressRange: 0x40_0000..<0x40_8000, kind: .executable)
        ]
        sample.snapshot.threads[0].name = name
        #expect(sample.explanation.programWords == words)
        let lines = TextReport(sample.explanation).lines
        #expect(lines.first?.hasPrefix("\(words) ") == true)
    }
}
