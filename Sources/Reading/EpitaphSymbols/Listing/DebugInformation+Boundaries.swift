// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

extension DebugInformation {
    func boundaries() -> [UInt64] {
        var boundaries: [UInt64] = []
        for entry in file.unitEntries(budget) where entry.tag == .scope {
            let unit = functions(of: entry).unit
            let before = boundaries.count
            addLines(of: unit, to: &boundaries)
            addCode(below: unit.root, unit, to: &boundaries)
            guard budget.hold((boundaries.count - before) * MemoryLayout<UInt64>.stride) else {
                break
            }
        }
        return boundaries
    }

    private func addLines(of unit: CompilationUnit, to boundaries: inout [UInt64]) {
        var root = unit.skeleton.raw
        var lines: OpaquePointer?
        var count = 0
        guard file.lineTables.haveRoom(for: unit.skeleton),
            epitaph_dwarf_getsrclines(&root, &lines, &count) == 0, let lines
        else { return }
        for index in 0..<count {
            var address: epitaph_Dwarf_Addr = 0
            guard let line = epitaph_dwarf_onesrcline(lines, index),
                epitaph_dwarf_lineaddr(line, &address) == 0
            else { continue }
            boundaries.append(address)
        }
    }

    private func addCode(
        below root: DIE, _ unit: CompilationUnit, to boundaries: inout [UInt64]
    ) {
        // Deeper than any real file.
        root.walk(depthLimit: 512, budget) { entry, _ in
            let tag = entry.tag
            if tag == .function || tag == .inlinedCall || tag == .block {
                boundaries += unit.ranges(of: entry, budget).flatMap {
                    [$0.lowerBound, $0.upperBound]
                }
            }
            return tag == .other ? .past : .into
        }
    }
}
