// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import Testing

@Suite("Names that would become longer than anybody reads")
struct LongNamesTests {
    /// `a<a<…, S1_>, S2_>`: each level names the one before again, so that seven bytes double it.
    private static func doubling(_ levels: Int) -> String {
        var type = "S_I1bS0_E"
        for level in 1...levels {
            let digits = String(level, radix: 36, uppercase: true)
            type = "\(level == levels ? "1a" : "S_")I\(type)S\(digits)_E"
        }
        return "_Z1f" + type
    }

    @Test("Two hundred bytes that stand for gigabytes stay as they are", .timeLimit(.minutes(45)))
    func bomb() {
        for levels in [24, 30, 60, 200] {
            let name = Self.doubling(levels)
            #expect(Demangler.demangle(name) == name)
        }
    }

    @Test("A name of a few levels is told in full")
    func shallow() {
        let name = Demangler.demangle(Self.doubling(3))
        #expect(name.hasPrefix("f(a<a<a<a<b, b>"))
    }

    @Test("Names of real templates are far from the limit")
    func real() {
        let names = [
            "_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES5_St4lessIS5_ESaISt4pairIKS5_S5_EEEixERS9_",
            "_ZNSt8_Rb_treeINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4pairIKS5_St6vectorIS5_SaIS5_EEESt10_Select1stISA_ESt4lessIS5_ESaISA_EE24_M_get_insert_unique_posERS7_",
            "_ZSt16__insertion_sortIN9__gnu_cxx17__normal_iteratorIPNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIS7_SaIS7_EEEENS0_5__ops15_Iter_less_iterEEvT_SF_T0_",
            "_Z1fPKcS0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_",
        ]
        for name in names { #expect(Demangler.demangle(name) != name, "\(name)") }
    }
}
