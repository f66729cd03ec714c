// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// Determines which functions are async, and which part of one: the compiler splits them at each
/// `await` into functions that tail-call each other. Names or code show it, even if stripped.
final class SwiftAsyncFunctions {
    private let modules: LoadedModules
    private let memory: CapturedMemory
    let architecture: Architecture
    private var symbols: [Int: SwiftAsyncSymbols] = [:]
    private let snapshot: ProcessSnapshot
    private let images: any ELFImageSource
    /// libswift_Concurrency; empty if it is linked statically.
    private let runtimeModules: Set<Int>

    init(
        _ snapshot: ProcessSnapshot, images: any ELFImageSource, modules: LoadedModules,
        memory: CapturedMemory
    ) {
        self.snapshot = snapshot
        self.images = images
        self.modules = modules
        self.memory = memory
        architecture = snapshot.architecture
        runtimeModules = Set(
            snapshot.modules.indices.filter {
                snapshot.modules[$0].name.hasPrefix("libswift_Concurrency.")
            })
    }

    struct Function {
        let start: UInt64
        /// The code, which is elsewhere if the optimiser merged it with another function's.
        let body: UInt64
        let name: SwiftAsyncName?
        let prologue: SwiftAsyncPrologue?
    }

    func function(at address: UInt64) -> Function? {
        guard let module = modules.module(at: address), let image = module.image,
            !symbols(of: module).isForeign
        else { return nil }
        let fileAddress = module.fileAddress(address)
        let symbol = symbols(of: module).table?.symbol(containing: fileAddress)
        guard let start = symbol?.address ?? image.unwindFunctionStart(of: fileAddress) else {
            return nil
        }
        let processStart = start &+ module.loadBias
        let body = jumpTarget(at: processStart) ?? processStart
        let code = memory.bytes(at: body, count: SwiftAsyncPrologue.longest).array
        return Function(
            start: processStart, body: body,
            name: symbol.map { SwiftAsyncName($0.name, entries: symbols(of: module).entries) },
            prologue: SwiftAsyncPrologue(code, architecture: architecture))
    }

    private func jumpTarget(at address: UInt64) -> UInt64? {
        let code = memory.bytes(at: address, count: 5).array
        guard code.count == 5 else { return nil }
        switch architecture {
        case .x86_64:
            // Intel SDM 2A, JMP rel32, from the next instruction.
            guard code[0] == 0xe9 else { return nil }
            let distance = Int64(Int32(truncatingIfNeeded: code[1...].littleEndian))
            return address &+ 5 &+ UInt64(bitPattern: distance)
        case .aarch64:
            // Arm ARM, C6.2, B: 26 bits, in words.
            let word = UInt32(code[..<4].littleEndian)
            guard word >> 26 == 0b000101 else { return nil }
            let distance = Int64(Int32(bitPattern: word << 6) >> 4)
            return address &+ UInt64(bitPattern: distance)
        default: return nil
        }
    }

    /// True if the code can run a task's job: async functions have no other callers on a stack.
    func mayRunJobs(_ address: UInt64) -> Bool {
        guard let module = modules.module(at: address) else { return false }
        // If the runtime is a library, no other module's symbols need to be read.
        guard runtimeModules.isEmpty else { return runsJobsOnly(address) }
        return symbols(of: module).mayRunJobs(address, module)
    }

    func runsJobsOnly(_ address: UInt64) -> Bool {
        guard let module = modules.module(at: address), isConcurrencyRuntime(module) else {
            return false
        }
        return symbols(of: module).doesRunJobs(address, module)
    }

    /// True in a function of the runtime that async functions end with, as `swift_task_switch`: who
    /// called it has no frame.
    func isCalledByTasks(_ address: UInt64) -> Bool {
        modules.module(at: address).map { symbols(of: $0).isCalledByTasks(address, $0) } ?? false
    }

    func isRuntime(_ address: UInt64) -> Bool {
        guard let module = modules.module(at: address) else { return false }
        return isConcurrencyRuntime(module) || symbols(of: module).isTaskEnd(address, module)
    }

    private func isConcurrencyRuntime(_ module: LoadedModules.Module) -> Bool {
        runtimeModules.contains(module.index)
    }

    private func symbols(of module: LoadedModules.Module) -> SwiftAsyncSymbols {
        if let known = symbols[module.index] { return known }
        var debug: ELFImage?
        if snapshot.modules.indices.contains(module.index) {
            debug = images.images(for: snapshot.modules[module.index]).debug?.image
        }
        let found = SwiftAsyncSymbols([module.image, debug].compactMap(\.self))
        symbols[module.index] = found
        return found
    }
}
