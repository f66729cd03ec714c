// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem

struct PreloadLibrary {
    static let fileName = "libepitaph-preload.so"

    let path: String
    /// `e_machine` of elf(5).
    let machine: UInt16

    /// - Parameter chosen: from the command line; nil for the one installed with this program.
    init(chosen: String?) throws(CommandFailure) {
        let own = (try? realPath(of: "/proc/self/exe")) ?? ""
        let candidates =
            chosen.map { [$0] } ?? Self.candidates(program: own, machine: CurrentProcess.machine)
        var reasons: [String] = []
        for candidate in candidates {
            do throws(SystemError) {
                let real = try realPath(of: candidate)
                let image = ELFImageFile(real)
                guard case .image(let machine, _) = image, !Self.isSplit(real) else {
                    reasons.append("\(candidate) \(image.objection ?? Self.splitReason)")
                    continue
                }
                path = real
                self.machine = machine
                return
            } catch {
                reasons.append("\(candidate): \(error.reason)")
            }
        }
        throw CommandFailure(
            .notFound,
            chosen == nil
                ? "there is no \(Self.fileName) in "
                    + candidates.map { $0.dropLast(Self.fileName.count + 1) }
                    .joined(separator: ", ") + "; Scripts/install puts it there, or name it with "
                    + "--library"
                : "the library cannot be used: \(reasons.joined(separator: "; "))")
    }

    /// Where Scripts/install and packages put it, for a program in PREFIX/bin.
    static func candidates(program: String, machine: String) -> [String] {
        let parts = program.split(separator: "/").dropLast(2)
        let prefix = parts.map { "/" + $0 }.joined()
        var prefixes = [prefix]
        for other in ["/usr/local", "/usr"] where other != prefix { prefixes.append(other) }
        return prefixes.flatMap { prefix in
            ["lib", "lib/\(machine)-linux-gnu", "lib64"].map { folder in
                "\(prefix)/\(folder)/epitaph/\(fileName)"
            }
        }
    }

    /// ld.so(8) splits LD_PRELOAD at colons and blanks, without quoting.
    private static func isSplit(_ path: String) -> Bool {
        path.contains { $0 == ":" || $0 == " " }
    }

    private static let splitReason = "has a blank or a colon in its path, which LD_PRELOAD cannot"

    static let heapFileName = "libepitaph-heap.so"

    /// The library of sampled allocations, which is installed beside this one.
    func heap() throws(CommandFailure) -> String {
        let beside = path.parentPath + "/" + Self.heapFileName
        return try orReason(
            .notFound, "heap_sampling needs \(Self.heapFileName) beside \(path)",
            realPath(of: beside))
    }

    /// - Parameter besides: what is loaded as well.
    func variable(besides libraries: [String]) -> (name: String, value: String) {
        let others = CurrentProcess.environmentVariable("LD_PRELOAD").map { [$0] } ?? []
        return ("LD_PRELOAD", ([path] + libraries + others).joined(separator: ":"))
    }
}
