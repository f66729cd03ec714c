// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues

/// Whether files on this machine can name the stacks of a report, and what each module lacks.
package struct ReportSymbols: Sendable {
    package private(set) var modules: [ModuleSymbols] = []
    package private(set) var stackCount = 0
    package private(set) var incompleteStackCount = 0

    /// A thread has a few dozen frames; further ones of a deep recursion are in the same modules.
    private static let frameLimit = 512
    private static let totalLimit = 131_072

    private struct Frames {
        var count = 0
        var unnamed = 0
    }

    /// - Parameter withAllModules: include modules without a frame on a stack.
    package init(
        _ snapshot: ProcessSnapshot, images: any ELFImageSource, withAllModules: Bool
    ) {
        let frames = countFrames(of: snapshot, images)
        for (index, module) in snapshot.modules.enumerated() {
            let own = frames[index]
            guard own != nil || withAllModules && module.kind != .vdso else { continue }
            modules.append(
                ModuleSymbols(
                    module, images.images(for: module), frameCount: own?.count ?? 0,
                    unnamedFrameCount: own?.unnamed ?? 0))
            images.makeRoom()
        }
    }

    package var canNameStacks: Bool {
        let isFollowed =
            incompleteStackCount == 0
            || !modules.contains { $0.frameCount > 0 && $0.missing.contains(.executable) }
        return isFollowed && !modules.contains { $0.unnamedFrameCount > 0 }
    }

    private mutating func countFrames(
        of snapshot: ProcessSnapshot, _ images: any ELFImageSource
    ) -> [Int: Frames] {
        let unwinder = StackUnwinder(
            snapshot: snapshot, images: images, frameLimit: Self.frameLimit)
        let symbolicator = Symbolicator(snapshot: snapshot, images: images)
        var found: [Int: Frames] = [:]
        var left = Self.totalLimit
        func count(_ backtrace: Backtrace) {
            stackCount += 1
            if backtrace.whyIncomplete(in: snapshot) != nil { incompleteStackCount += 1 }
            for frame in backtrace.frames.prefix(left) {
                guard let index = frame.moduleIndex else { continue }
                let isNamed = symbolicator.symbolicate(frame).last?.function != nil
                found[index, default: Frames()].count += 1
                found[index, default: Frames()].unnamed += isNamed ? 0 : 1
            }
            left -= min(left, backtrace.frames.count)
        }
        let crash = unwinder.unwindException()
        if let crash { count(crash) }
        let crashing = crash == nil ? nil : snapshot.crashingThread?.id
        for thread in snapshot.threads where left > 0 && thread.id != crashing {
            // A thread that did not answer has no registers; no file changes that.
            guard thread.registers != nil else { continue }
            count(unwinder.unwind(thread))
        }
        return found
    }
}
