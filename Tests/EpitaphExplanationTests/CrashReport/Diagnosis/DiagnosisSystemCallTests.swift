// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphTestSupport
import EpitaphValues
import Testing

@Suite struct DiagnosisSystemCallTests {
    @Test(
        "Every system call of this system's headers has its name",
        arguments: [
            (["gcc"], .x86_64), (["aarch64-linux-gnu-gcc"], .aarch64),
        ] as [([String], Architecture)])
    func names(compiler: [String], architecture: Architecture) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array("#include <asm/unistd.h>\n".utf8), to: "calls.c")
        let output = try Subprocess.run(compiler + ["-E", "-dM", directory.path("calls.c")])
            .standardOutput
        var values: [Substring: Substring] = [:]
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[1].hasPrefix("__NR") { values[words[1]] = words[2] }
        }
        var count = 0
        for (name, value) in values where name.hasPrefix("__NR_") {
            // Some are the names of others.
            let number = Int64(value) ?? values[value].flatMap { Int64($0) }
            guard let number, name != "__NR_syscalls", name != "__NR_arch_specific_syscall" else {
                continue
            }
            #expect(SystemCalls.name(of: number, on: architecture) == String(name.dropFirst(5)))
            count += 1
        }
        #expect(count > 300)
        #expect(SystemCalls.name(of: 462, on: architecture) == "mseal")
        #expect(SystemCalls.name(of: -1, on: architecture) == nil)
        #expect(SystemCalls.name(of: 0, on: .riscv) == nil)
    }
}
