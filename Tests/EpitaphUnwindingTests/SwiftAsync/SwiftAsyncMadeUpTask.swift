// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphUnwinding
import EpitaphValues

/// A task put together word by word: functions of a program, contexts, and a stack on which the
/// runtime calls the program's first function. The ELF files have no unwind instructions to follow,
/// so the stack is walked by frame pointers.
struct MadeUpTask {
    /// What functions begin with that keep their context in their frame.
    static let prologue: [UInt8] = [0x55, 0x41, 0x56, 0x48, 0x8d, 0x6c, 0x24, 0x08]
    static let program: UInt64 = 0x40_0000
    static let runtime: UInt64 = 0x50_0000
    static let stack: UInt64 = 0x7000_0000
    static let contexts: UInt64 = 0x6000_0000
    private static let contextSize: UInt64 = 64
    /// Where the saved frame pointer of the running function is.
    private static let frame = stack + 0x40

    var architecture = Architecture.x86_64
    /// The first one runs.
    var functions: [MadeUpImage.Function]
    /// For each context, its parent and where it continues.
    var links: [(parent: UInt64, resume: UInt64)] = []
    /// The word of the frame where functions with a prologue keep their context.
    var slot: UInt64 = 0
    var otherWords: [UInt64] = []
    /// r14 or x22.
    var contextRegister: UInt64 = 0
    /// From the start of the running function.
    var offset: UInt64 = 48
    var hasContexts = true
    /// The runtime's function that calls the program.
    var executorName: String? = "_ZN5swift34runJobInEstablishedExecutorContextEPNS_3JobE"
    var isProgramSwift = true
    /// Other memory, by its address.
    var objects: [UInt64: [UInt64]] = [:]

    /// - Parameter names: of the program's functions, the running one first; nil where the symbol
    ///   is missing.
    init(_ names: [String?], prologue: [UInt8] = MadeUpTask.prologue) {
        functions = names.map { MadeUpImage.Function(code: prologue, name: $0) }
    }

    /// Functions 1 to the last await each other, in contexts 0 and on; the runtime ends the task.
    mutating func chainAll() {
        links = functions.indices.dropFirst().map { index in
            (parent: context(index), resume: start(of: index))
        }
        links.append((parent: 0, resume: Self.taskEnd))
        slot = context(0)
    }

    func context(_ index: Int) -> UInt64 { Self.contexts + UInt64(index) * Self.contextSize }
    func start(of index: Int) -> UInt64 {
        Self.program + MadeUpImage.codeAddress + UInt64(index) * MadeUpImage.functionSize
    }

    private static let executor = runtime + MadeUpImage.codeAddress
    static let taskEnd = executor + MadeUpImage.functionSize

    var snapshot: ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: architecture)
        let end = MadeUpImage.tableAddress + 0x1000
        snapshot.modules = [
            ("/bin/program", Self.program), ("/lib/libswift_Concurrency.so", Self.runtime),
        ]
        .map { path, start in
            var module = ModuleSnapshot(
                path: path, addressRange: start..<start + end, kind: .sharedObject)
            module.loadBias = start
            return module
        }
        var thread = ThreadSnapshot(id: 1, completeness: .complete)
        thread.registers = registers
        var words = [UInt64](repeating: 0, count: 16)
        words.replaceSubrange(0..<otherWords.count, with: otherWords)
        words[7] = slot
        words[9] = Self.executor + 24
        thread.stack = MemoryRegion(address: Self.stack, bytes: bytes(words))
        snapshot.threads = [thread]
        if hasContexts { snapshot.memory = contextRegions }
        return snapshot
    }

    private var registers: RegisterSnapshot {
        if architecture == .aarch64 {
            var saved = ARM64Registers()
            (saved.pc, saved.sp) = (start(of: 0) + offset, Self.stack)
            (saved.x[29], saved.x[22]) = (Self.frame, contextRegister)
            return .aarch64(saved)
        }
        var saved = X86Registers()
        (saved.rip, saved.rsp) = (start(of: 0) + offset, Self.stack)
        (saved.rbp, saved.r14) = (Self.frame, contextRegister)
        return .x86_64(saved)
    }

    private var contextRegions: [MemoryRegion] {
        links.enumerated().map { index, link in
            MemoryRegion(address: context(index), bytes: bytes([link.parent, link.resume]))
        } + objects.map { MemoryRegion(address: $0, bytes: bytes($1)) }
    }

    private func bytes(_ words: [UInt64]) -> ByteSlice {
        ByteSlice(words.flatMap { word in (0..<8).map { UInt8(word >> ($0 * 8) & 0xff) } })
    }

    func unwind() throws -> Backtrace {
        // A call that ends 24 bytes into the executor: BL, or E8 rel32.
        let isARM = architecture == .aarch64
        let instruction: [UInt8] = isARM ? [0, 0, 0, 0x94] : [0xe8, 0, 0, 0, 0]
        let call = [UInt8](repeating: 0x90, count: 24 - instruction.count) + instruction
        let runtime = MadeUpImage(
            functions: [
                .init(code: call, name: executorName),
                .init(code: Self.prologue, name: "completeTask"),
            ], machine: architecture.rawValue)
        let images = try Images(
            program: MadeUpImage(
                functions: functions, machine: architecture.rawValue, isSwift: isProgramSwift
            ).image,
            runtime: runtime.image)
        let snapshot = snapshot
        return StackUnwinder(snapshot: snapshot, images: images).unwind(snapshot.threads[0])
    }
}

private struct Images: ELFImageSource {
    let program: ELFImage
    let runtime: ELFImage

    func images(for module: ModuleSnapshot) -> ModuleImages {
        let image = module.path == "/bin/program" ? program : runtime
        return ModuleImages(
            code: LocatedImage(image: image, path: module.path, isInstalled: false))
    }
}
