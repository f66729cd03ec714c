// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues
import Testing

/// Constants that have the same text as the environment, and so asterisks in the dump.
struct BlankedConstantTests {
    private static let text = "the ledger_directory is gone"
    private static let source = """
        const char text[] = "\(text)";
        int main(void) {
            register const char *held __asm__("rbx") = text;
            __asm__ volatile("movl $1, 0" : : "r"(held));
            return 0;
        }

        """

    private func read(_ dumped: String, blanked: UInt64?) throws -> String {
        var crash = try CorroborationTests.Crash(Self.source, [])
        guard case .x86_64(let registers)? = crash.snapshot.exception?.registers else { return "" }
        crash.snapshot.memory = [
            MemoryRegion(address: registers.rbx, bytes: ByteSlice(Array(dumped.utf8)))
        ]
        crash.snapshot.capture = CaptureSummary()
        crash.snapshot.capture?.blankedByteCount = blanked
        let memory = ReadableMemory(crash.snapshot, images: crash.images)
        return String(
            decoding: memory.bytes(at: registers.rbx, atMost: dumped.utf8.count), as: UTF8.self)
    }

    @Test("What was blanked in a constant is read from its file")
    func constant() throws {
        #expect(try read("the **************** is gone", blanked: 16) == Self.text)
    }

    @Test("Asterisks that were not blanked, and memory that is not as in the file, stay")
    func others() throws {
        let patched = "the **************** is here"
        #expect(try read(patched, blanked: 16) == patched)
        let own = "the **************** is gone"
        #expect(try read(own, blanked: nil) == own)
    }
}
