// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphValues

enum ELFImageFile {
    /// - Parameter interpreter: the requested dynamic linker; nil for none.
    case image(machine: UInt16, interpreter: String?)
    case otherWordSize
    case notELF(start: [UInt8])
    case unreadable(String)

    init(_ path: String) {
        do throws(SystemError) {
            let bytes = try FileBytes.contents(of: path)
            do throws(ELFError) {
                let image = try ELFImage(bytes)
                self = .image(machine: image.machine, interpreter: image.interpreter)
            } catch {
                if case .unsupported = error {
                    self = .otherWordSize
                } else {
                    self = .notELF(start: bytes.slice(from: 0, length: 256).array)
                }
            }
        } catch {
            self = .unreadable(error.reason)
        }
    }

    var objection: String? {
        switch self {
        case .image: nil
        case .otherWordSize: "is not of 64 bits"
        case .notELF: "is no ELF file"
        case .unreadable(let reason): "cannot be read: \(reason)"
        }
    }
}

/// A program about to be executed, and why the library may not be loaded into it.
struct LaunchedProgram {
    let path: String

    /// - Parameter isOneOfSeveral: whether another program is the intended one.
    func warnings(machine: UInt16, isOneOfSeveral: Bool) -> [String] {
        guard let real = try? realPath(of: path) else { return [] }
        switch ELFImageFile(real) {
        case .image(let own, let interpreter):
            let reason = Self.objection(machine: own, interpreter: interpreter, library: machine)
            return [reason, rightsObjection(real)].compactMap(\.self).map(sentence)
        case .otherWordSize: return [sentence("is of another architecture")]
        case .notELF(let start):
            guard let interpreter = Self.interpreter(ofScript: start) else { return [] }
            let note =
                "\(path) is a script: unless --executable names another program, the crashes "
                + "that are recorded are those of \(interpreter)"
            return (isOneOfSeveral ? [] : [note])
                + LaunchedProgram(path: interpreter).interpreterWarnings(machine: machine)
        case .unreadable: return []
        }
    }

    /// Nested interpreters are not followed: execve(2) allows four levels, but nobody uses them.
    private func interpreterWarnings(machine: UInt16) -> [String] {
        guard let real = try? realPath(of: path), case .image = ELFImageFile(real) else {
            return []
        }
        return warnings(machine: machine, isOneOfSeveral: true)
    }

    private func sentence(_ objection: String) -> String {
        "\(path) \(objection): it runs without Epitaph, and its crashes leave no report"
    }

    static func objection(machine: UInt16, interpreter: String?, library: UInt16) -> String? {
        guard machine == library else { return "is of another architecture" }
        guard let interpreter else { return "is statically linked" }
        return interpreter.contains("ld-musl") ? "uses another C library, musl" : nil
    }

    /// With AT_SECURE, getauxval(3), the dynamic linker ignores LD_PRELOAD.
    private func rightsObjection(_ real: String) -> String? {
        guard let status = try? FileDescriptor.openForReading(real).fileStatus() else { return nil }
        let user = CurrentProcess.effectiveUserID
        let changesUser = status.permissions & 0o4000 != 0 && status.ownerID != user
        let changesGroup = status.permissions & 0o2000 != 0 && user != 0
        let isPrivileged = changesUser || changesGroup || user != 0 && hasFileCapabilities(real)
        return isPrivileged ? "has more rights than the user who runs it" : nil
    }

    /// The path behind `#!`; nil without one.
    static func interpreter(ofScript start: [UInt8]) -> String? {
        guard start.starts(with: Array("#!".utf8)) else { return nil }
        let line = start.dropFirst(2).prefix { $0 != 0x0a }
        let words = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\t" }
        return words.first.map(String.init)
    }
}
