// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphTestSupport
import EpitaphValues
import Testing

/// Damage never traps: every function called on a damaged file returns a result or an error.
struct DamagedELFTests {
    /// Asks for everything an image knows.
    private func askAll(_ bytes: ByteSlice) {
        guard let image = try? ELFImage(bytes) else { return }
        _ = (image.lowestAddress(), image.debugLink, image.hasDebugInformation, image.unwindTable)
        let table = ELFSymbolTable(image)
        for address: UInt64 in [0, 1, 0x1000, 0x1100, 0x1140, 0x2350, 1 << 63, .max - 1, .max] {
            _ = image.fileOffset(ofAddress: address)
            _ = image.address(ofFileOffset: address)
            _ = image.constantBytes(at: address, count: 64)
            _ = table.symbol(containing: address)
        }
        for section in image.sections { _ = image.contents(of: section) }
    }

    @Test("A file cut at any length loses only what lies behind the cut")
    func cuts() throws {
        let bytes = ByteSlice(HandBuiltELF.bytes)
        for length in 0..<bytes.count {
            let cut = bytes.slice(from: 0, length: length)
            askAll(cut)
            // Header and program headers take 344 bytes.
            guard length >= 344 else {
                #expect(throws: ELFError.self) { try ELFImage(cut) }
                continue
            }
            let image = try ELFImage(cut)
            if length >= 400 { #expect(image.buildID == HandBuiltELF.buildID) }
            if length >= 476 { #expect(image.soname == "libhand.so") }
        }
    }

    @Test("A file with any byte changed is read without a trap")
    func flips() {
        let whole = HandBuiltELF.bytes
        for offset in whole.indices {
            for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff, whole[offset] ^ 0x10] {
                var bytes = whole
                bytes[offset] = value
                askAll(ByteSlice(bytes))
            }
        }
    }

    @Test("Every 64-bit field at its largest value is read without a trap")
    func largeFields() {
        let whole = HandBuiltELF.bytes
        for offset in stride(from: 16, to: whole.count - 7, by: 4) {
            var bytes = whole
            bytes.replaceSubrange(offset..<offset + 8, with: repeatElement(0xff, count: 8))
            askAll(ByteSlice(bytes))
        }
    }
}
