// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

@Suite("The threads dump-convert show shows")
struct ShowThreadsTests {
    private func show(_ options: String...) throws -> String {
        try dumpConvertOutput(["show", Sample.dumpPath] + options)
    }

    @Test("are the crashing one, with the others counted and named")
    func plain() throws {
        let text = try show()
        #expect(text.contains("\nCrashing thread 4712 \"worker\":\n"))
        #expect(text.contains("\n2 other threads, not shown:\n"))
        #expect(!text.contains("\nThread 47"))
    }

    @Test("are all of them with --all-threads")
    func all() throws {
        let text = try show("--all-threads")
        #expect(text.contains("\nThread 4711 (partial"))
        #expect(text.contains("\nThread 4713 (missing"))
    }

    @Test("are those chosen with --thread, as often as one likes")
    func chosen() throws {
        let one = try show("--thread", "4711")
        #expect(one.contains("\nThread 4711 (partial"))
        #expect(one.contains("\nCrashing thread 4712"))
        #expect(!one.contains("\nThread 4713"))
        let two = try show("--thread", "4711", "--thread=4713")
        #expect(two.contains("\nThread 4711") && two.contains("\nThread 4713"))
        for word in ["crashing", "4712"] {
            let none = try show("--thread", word)
            #expect(none.contains("\nCrashing thread 4712"))
            #expect(!none.contains("\nThread 47") && !none.contains("other threads"))
        }
    }

    @Test("A thread that is not there is an error that names those that are")
    func unknown() throws {
        let result = try dumpConvert("show", Sample.dumpPath, "--thread", "99")
        #expect(result.ending == .exited(3))
        #expect(result.standardOutput == "")
        #expect(
            result.standardError
                == "dump-convert: there is no thread 99 in this crash; its threads: 4711, 4712, 4713\n"
        )
        let nonsense = try dumpConvert("show", Sample.dumpPath, "--thread", "main")
        nonsense.expectFailure(
            2, saying: "--thread takes the id of a thread or \"crashing\", not \"main\"")
    }
}
