// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphTestSupport
import Testing

struct TrapReasonTests {
    @Test("A trap of clang's sanitizer names its reason and is no call of its own")
    func sanitizerTrap() throws {
        let directory = try TemporaryDirectory()
        let source = """
            __attribute__((noinline)) int divide(int a, int b) {
                return a / b;
            }
            int main(int count, char **arguments) { (void)arguments; return divide(8, count); }

            """
        let program = try ProgramFile.compile(
            source, as: "divide.c",
            ["-O1", "-g", "-fsanitize=integer-divide-by-zero", "-fsanitize-trap=all"],
            in: directory)
        let file = try ProgramFile(program)
        let calls = try (0..<64).map { try file.calls(in: "divide", plus: $0) }
        let trap = try #require(calls.first { $0[0].runtimeFailure != nil })
        #expect(
            trap[0].runtimeFailure == "Undefined Behavior Sanitizer: Integer divide by zero"
                || trap[0].runtimeFailure
                    == "Undefined Behavior Sanitizer: Integer divide or remainder overflowed"
        )
        #expect(trap.map(\.function) == ["divide"])
        #expect(trap[0].line == 2)
        #expect(trap[0].isInlined == false)
    }

    @Test(
        "Each failure of the Swift runtime is named at its trap",
        arguments: [
            ("numbers[count + 7]", "Index out of range"),
            ("Int.max - 2 + count * 3", "arithmetic overflow"),
            (
                "Int([nil, count][count - 1]!)",
                "Unexpectedly found nil while unwrapping an Optional value"
            ),
            ("8 / (count - 1)", "Division by zero"),
        ])
    func swiftFailures(expression: String, reason: String) throws {
        let directory = try TemporaryDirectory()
        let source = """
            @inline(never) func fail(_ numbers: [Int], _ count: Int) -> Int {
                \(expression)
            }
            print(fail([1, 2], Int(CommandLine.argc)))

            """
        try directory.write(Array(source.utf8), to: "main.swift")
        let program = directory.path("program")
        try ProgramFile.run([
            "swiftc", "-O", "-g", "-Xlinker", "--build-id", "-o", program,
            directory.path("main.swift"),
        ])
        let file = try ProgramFile(program)
        let addresses = try ProgramFile.addresses(in: program)
        let fail = try #require(addresses.first { $0.key.contains("4failyS") }).value
        let reasons = (0..<128).flatMap { file.calls(at: fail + $0) }.compactMap(\.runtimeFailure)
        #expect(reasons.contains(reason), "\(Set(reasons))")
    }
}
