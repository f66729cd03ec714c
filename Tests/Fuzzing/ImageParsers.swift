// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues

/// What reads programs and their debug files.
enum ImageParsers {
    static func image(_ bytes: ByteSlice) {
        guard let image = try? ELFImage(bytes) else { return }
        let symbols = ELFSymbolTable(image)
        let frames = CallFrameTable(image)
        for address in addresses(of: image) {
            _ = symbols.symbol(containing: address)
            _ = symbols.names(ofFunctionAt: address)
            _ = frames.rules(at: address)
            _ = image.constantBytes(at: address, count: 64)
        }
        _ = image.debugLink
        _ = image.unwindTable
    }

    /// The bytes are call frame information alone: entries, LEB128 numbers, instructions.
    static func callFrames(_ bytes: ByteSlice) {
        let table = CallFrameTable(extract: bytes)
        var cursor = ByteCursor(bytes)
        for _ in 0..<16 {
            guard let address = try? cursor.read(UInt64.self) else { return }
            if let rules = table.rules(at: address) { _ = rules.rule(for: 16) }
        }
    }

    /// libdw over what our own readers give it.
    static func debugInformation(_ bytes: ByteSlice) {
        guard let image = try? ELFImage(bytes) else { return }
        var module = ModuleSnapshot(path: "", addressRange: 0..<UInt64.max, kind: .executable)
        module.loadBias = 0
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.modules = [module]
        let symbolicator = Symbolicator(snapshot: snapshot, images: OneImage(image: image))
        for address in addresses(of: image) {
            _ = symbolicator.symbolicate(
                StackFrame(
                    instructionPointer: address, stackPointer: 0, lookupAddress: address,
                    moduleIndex: 0, foundBy: .registers))
        }
    }

    /// The bytes are those of `.gnu_debugdata`.
    static func miniDebugInformation(_ bytes: ByteSlice) {
        let names = Array("\0.gnu_debugdata\0.shstrtab\0".utf8)
        var file = ByteBuilder()
        file.append([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9))
        for half in [1, 62] as [UInt16] { file.append(half) }
        file.append(UInt32(1))
        for word in [0, 0, 64] as [UInt64] { file.append(word) }
        file.append(UInt32(0))
        for half in [64, 0, 0, 64, 3, 2] as [UInt16] { file.append(half) }
        file.appendZeros(64)
        for (name, type, offset, size) in [
            (1, 1, 256 + names.count, bytes.count), (16, 3, 256, names.count),
        ] {
            file.append(UInt32(name))
            file.append(UInt32(type))
            for word in [0, 0, offset, size, 0, 1, 0] { file.append(UInt64(word)) }
        }
        file.append(names)
        file.append(bytes)
        debugInformation(ByteSlice(file.bytes))
    }

    static func breakpadSymbols(_ bytes: ByteSlice) {
        guard let file = SymbolFile(bytes) else { return }
        _ = file.header.isOf(buildID: [1, 2, 3], isCut: true)
        for address in [0, 0x1000, 0x1013, 0x1040, 0x1060, 0x2010, UInt64.max] {
            _ = file.calls(at: address)
            if let rules = file.callFrameRules(at: address, shift: 0x40_0000) {
                _ = rules.rule(for: 16)
            }
        }
        _ = file.problem
    }

    static func names(_ bytes: ByteSlice) {
        _ = Demangler.demangle(bytes.text)
    }

    private static func addresses(of image: ELFImage) -> [UInt64] {
        let starts =
            image.sections.filter(\.isExecutable).prefix(4).map(\.address)
            + image.segments.prefix(4).map(\.address)
        return starts.flatMap { start in [0, 1, 16, 0x140].map { start &+ $0 } }
    }
}

private struct OneImage: ELFImageSource {
    let image: ELFImage

    func images(for module: ModuleSnapshot) -> ModuleImages {
        ModuleImages(code: LocatedImage(image: image, path: "program"))
    }
}
