// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Testing

/// A program that was never run: its addresses are those of its file.
struct ProgramFile {
    let path: String
    private let symbolicator: Symbolicator
    private let addresses: [String: UInt64]

    /// - Parameters:
    ///   - images: nil for the files of this machine.
    ///   - symbolFile: what to read the addresses of functions from, with nm(1); the program itself
    ///     unless it is stripped.
    init(_ path: String, images: (any ELFImageSource)? = nil, symbolFile: String? = nil) throws {
        try self.init(
            path, images: images ?? InstalledImages(),
            addresses: try Self.addresses(in: symbolFile ?? path))
    }

    init(_ path: String, images: any ELFImageSource, addresses: [String: UInt64]) throws {
        self.path = path
        self.addresses = addresses
        var module = ModuleSnapshot(path: path, addressRange: 0..<UInt64.max, kind: .executable)
        module.loadBias = 0
        module.buildID = try ELFImage(try FileBytes.contents(of: path)).buildID
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.modules = [module]
        symbolicator = Symbolicator(snapshot: snapshot, images: images)
    }

    /// A function `outer` into which another, `inner`, is inlined.
    static let inliningSource = """
        volatile int sink;
        static inline __attribute__((always_inline)) int inner(int value) { return value * sink; }
        __attribute__((noinline)) int outer(int value) {
            for (int i = 0; i < value; i++) sink += inner(i);
            return sink;
        }
        int main(int count, char **arguments) { (void)arguments; return outer(count); }

        """

    static func addresses(in path: String) throws -> [String: UInt64] {
        var addresses: [String: UInt64] = [:]
        for line in try Subprocess.run(["nm", path]).standardOutput.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 2)
            guard fields.count == 3, let address = UInt64(fields[0], radix: 16) else { continue }
            addresses[String(fields[2])] = address
        }
        return addresses
    }

    /// The calls at a function's first byte, or some bytes later; innermost first.
    func calls(in function: String, plus offset: UInt64 = 0) throws -> [SourceFrame] {
        calls(at: try #require(addresses[function], "no symbol \(function)") + offset)
    }

    func calls(at address: UInt64) -> [SourceFrame] {
        symbolicator.symbolicate(
            StackFrame(
                instructionPointer: address, stackPointer: 0, lookupAddress: address,
                moduleIndex: 0, foundBy: .registers))
    }

    /// Compiles with a build id, in the directory, so that split files are there, too.
    static func compile(
        _ source: String, as name: String, _ options: [String], in directory: TemporaryDirectory
    ) throws -> String {
        let file = try directory.write(Array(source.utf8), to: name)
        let program = directory.path("program")
        try run(["clang", "-Wl,--build-id", "-o", program, file] + options)
        return program
    }

    static func run(_ command: [String]) throws {
        let result = try Subprocess.run(command)
        try #require(result.ending == .exited(0), "\(command): \(result.standardError)")
    }
}

/// Gives out one image for all modules.
struct OneImage: ELFImageSource {
    let image: LocatedImage

    init(_ bytes: ByteSlice, path: String, isInstalled: Bool = true) throws {
        image = LocatedImage(image: try ELFImage(bytes), path: path, isInstalled: isInstalled)
    }

    func images(for module: ModuleSnapshot) -> ModuleImages {
        ModuleImages(code: image)
    }
}
