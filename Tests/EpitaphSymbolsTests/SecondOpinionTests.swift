// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

struct SecondOpinionTests {
    @Test(
        "llvm-symbolizer says the same of functions, files, lines, columns and inlined calls",
        arguments: [
            "C -O2, clang, DWARF 5", "C -O2, clang, split DWARF", "C++ -O2, packaged",
            "Swift -O, DWARF 4", "Swift -Onone, DWARF 5", "beside a stripped program",
            "compressed",
        ])
    func agreement(samples: String) throws {
        let opinion = try Subprocess.run([
            Products.packageRoot + "/Scripts/compare-symbols", "--step", "13", "--list", samples,
            "--check", Products.executable("EpitaphCheck"),
        ])
        #expect(opinion.ending == .exited(0), "\(opinion.standardOutput)\(opinion.standardError)")
        let total = try #require(
            opinion.standardOutput.firstMatch(of: #/all: (\d+) addresses; .*different 0\n/#))
        #expect(try #require(Int(total.1)) > 50)
    }
}
