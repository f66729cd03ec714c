// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import EpitaphEvents

@Suite struct ContextTests {
    @Test("A tag is refused where its name is empty or too long, or there are enough")
    func tags() {
        var context = Context()
        let longest = String(repeating: "n", count: 64)
        #expect(context.setTag("", to: "x") == false)
        #expect(context.setTag(longest + "n", to: "x") == false)
        #expect(context.setTag(longest, to: "x") == true)
        for number in 1..<Context.tagLimit { #expect(context.setTag("\(number)", to: "") == true) }
        #expect(context.setTag("one more", to: "") == false)
        #expect(context.setTag("1", to: "another value") == true)
        context.removeTag("1")
        context.removeTag("not there")
        #expect(context.setTag("one more", to: "") == true)
    }

    @Test(
        "A text is cut before a character",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc…"), ("aééé", 6, "aé…"),
            ("👍👍", 7, "👍…"), ("👍👍", 6, "…"), ("", 0, ""), ("a", 0, "…"),
        ])
    func cut(text: String, limit: Int, expected: String) {
        #expect(text.cut(toBytes: limit) == expected)
    }

    @Test("No text of a context is longer than it may be, not even one of a megabyte")
    func bounded() {
        let huge = String(repeating: "x", count: 1 << 20)
        let current = CurrentContext()
        current.update { context in
            context.user = .init(id: huge, name: huge, email: huge)
            context.program = huge
            context.version = huge
            context.environment = huge
            context.setTag("t", to: huge)
        }
        let snapshot = current.snapshot
        let texts = [
            snapshot.user?.id, snapshot.user?.name, snapshot.user?.email, snapshot.program,
            snapshot.version, snapshot.environment, snapshot.tags["t"],
        ]
        #expect(texts.compactMap { $0 }.count == 7)
        #expect(texts.compactMap { $0 }.allSatisfy { $0.utf8.count <= Context.textLimitBytes })
    }

    @Test("A change is seen whole or not at all")
    func atomic() async {
        let current = CurrentContext()
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for number in 0..<2_000 {
                    current.update { context in
                        context.version = "\(number)"
                        context.environment = "\(number)"
                    }
                }
                return true
            }
            group.addTask {
                for _ in 0..<2_000 {
                    let snapshot = current.snapshot
                    guard snapshot.version == snapshot.environment else { return false }
                }
                return true
            }
            for await isWhole in group { #expect(isWhole) }
        }
    }
}
