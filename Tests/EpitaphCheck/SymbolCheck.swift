// SPDX-License-Identifier: Apache-2.0
//
// Names addresses of a program's file, for comparison with other symbolizers.
//
//   EpitaphCheck symbols PROGRAM < ADDRESSES
//   EpitaphCheck symbols --demangle < NAMES
//
// Reads one hexadecimal address of the file a line. For each it writes its calls, innermost first,
// a line each: address, raw name, name, file, line, column, runtime failure, with tabs between them.

import EpitaphELF
import EpitaphSymbols
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues
import Foundation

enum SymbolCheck {
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2 else { fatalError("usage: EpitaphCheck symbols PROGRAM") }
        if arguments[1] == "--demangle" {
            while let name = readLine() { print(Demangler.demangle(name)) }
            return
        }
        let path = arguments[1]
        let image = try ELFImage(try FileBytes.contents(of: path))
        var module = ModuleSnapshot(path: path, addressRange: 0..<UInt64.max, kind: .executable)
        module.loadBias = 0
        module.buildID = image.buildID
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.modules = [module]
        let symbolicator = Symbolicator(snapshot: snapshot, images: InstalledImages())

        while let line = readLine() {
            guard let address = UInt64(line, radix: 16) else { continue }
            let frame = StackFrame(
                instructionPointer: address, stackPointer: 0, lookupAddress: address,
                moduleIndex: 0,
                foundBy: .registers)
            for call in symbolicator.symbolicate(frame) {
                let fields = [
                    line, call.rawName ?? "", call.function ?? "", call.file ?? "",
                    call.line.map(String.init) ?? "", call.column.map(String.init) ?? "",
                    call.runtimeFailure ?? "",
                ]
                print(fields.joined(separator: "\t"))
            }
        }
    }
}
