// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import Testing

@Suite("What the kernel says to a handler of cores")
struct CoreArgumentsTests {
    private let line = ["4711", "1000", "100", "11", "1771236312", "my daemon", "host", "1", "0"]

    @Test("A whole line is read, a name with blanks too")
    func whole() throws {
        let arguments = try CoreArguments(line)
        #expect(arguments.processID == 4711 && arguments.userID == 1000)
        #expect(arguments.groupID == 100 && arguments.signal == 11)
        #expect(arguments.timeSeconds == 1_771_236_312 && arguments.name == "my daemon")
        #expect(arguments.host == "host" && arguments.dumpMode == 1 && arguments.coreLimit == 0)
        #expect(arguments.ownerID == 1000)
    }

    @Test("Words at the end may be missing; who may read the core is then nobody but root")
    func missing() throws {
        for count in 5..<8 {
            let arguments = try CoreArguments(Array(line[..<count]))
            #expect(arguments.dumpMode == nil)
            #expect(arguments.ownerID == 0)
        }
        #expect(try CoreArguments(Array(line[..<8])).ownerID == 1000)
    }

    @Test(
        "A process with more rights than its user belongs to root", arguments: ["0", "2", "", "x"])
    func protected(mode: String) throws {
        var words = line
        words[7] = mode
        #expect(try CoreArguments(words).ownerID == 0)
    }

    @Test("A line that was split inside the name says nothing that could be mistaken")
    func split() throws {
        let words = ["1", "1000", "100", "6", "5", "my", "evil", "1", "1", "0", "host"]
        let arguments = try CoreArguments(words)
        #expect(arguments.name == nil && arguments.dumpMode == nil && arguments.ownerID == 0)
    }

    @Test(
        "A line without its numbers is refused with the reason",
        arguments: [
            ([], "%P %u %g %s %t"), (["1", "2", "3"], "lacks %s %t"),
            (["0", "1", "1", "11", "5"], "%P is \"0\""), (["1", "-1", "1", "11", "5"], "%u is"),
            (["1", "1", "1", "65", "5"], "%s is \"65\""), (["1", "1", "1", "11", "soon"], "%t is"),
        ] as [([String], String)])
    func refused(words: [String], reason: String) throws {
        let problem = #expect(throws: CoreArguments.Problem.self) { try CoreArguments(words) }
        #expect(problem?.description.contains(reason) == true, "\(problem?.description ?? "")")
    }

    @Test("The words of another handler's line are filled in one by one")
    func filled() throws {
        let arguments = try CoreArguments(line)
        #expect(arguments.filled(in: "%P") == "4711")
        #expect(arguments.filled(in: "--name=%e") == "--name=my daemon")
        #expect(arguments.filled(in: "100%% of %Z%") == "100% of %Z%")
    }
}
