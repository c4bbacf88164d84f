// SPDX-License-Identifier: MIT
// Numbers of the DWARF standard (https://dwarfstd.org), as far as debug information of PTX has
// them.
#pragma once

#include <cstdint>

namespace pycuda::cpu::ptx::dwarf {

enum Tag : std::uint64_t {
  tag_array_type = 0x01,
  tag_class_type = 0x02,
  tag_enumeration_type = 0x04,
  tag_formal_parameter = 0x05,
  tag_lexical_block = 0x0b,
  tag_member = 0x0d,
  tag_pointer_type = 0x0f,
  tag_reference_type = 0x10,
  tag_compile_unit = 0x11,
  tag_structure_type = 0x13,
  tag_subroutine_type = 0x15,
  tag_typedef = 0x16,
  tag_union_type = 0x17,
  tag_inheritance = 0x1c,
  tag_inlined_subroutine = 0x1d,
  tag_subrange_type = 0x21,
  tag_base_type = 0x24,
  tag_const_type = 0x26,
  tag_enumerator = 0x28,
  tag_subprogram = 0x2e,
  tag_variable = 0x34,
  tag_volatile_type = 0x35,
  tag_restrict_type = 0x37,
  tag_unspecified_type = 0x3b,
  tag_rvalue_reference_type = 0x42,
};

enum Attribute : std::uint64_t {
  at_location = 0x02,
  at_name = 0x03,
  at_byte_size = 0x0b,
  at_bit_offset = 0x0c,
  at_bit_size = 0x0d,
  at_low_pc = 0x11,
  at_high_pc = 0x12,
  at_const_value = 0x1c,
  at_upper_bound = 0x2f,
  at_abstract_origin = 0x31,
  at_artificial = 0x34,
  at_count = 0x37,
  at_data_member_location = 0x38,
  at_decl_file = 0x3a,
  at_decl_line = 0x3b,
  at_encoding = 0x3e,
  at_specification = 0x47,
  at_type = 0x49,
  at_call_file = 0x58,
  at_call_line = 0x59,
  at_linkage_name = 0x6e,
  at_mips_linkage_name = 0x2007,
};

enum Form : std::uint64_t {
  form_addr = 0x01,
  form_block2 = 0x03,
  form_block4 = 0x04,
  form_data2 = 0x05,
  form_data4 = 0x06,
  form_data8 = 0x07,
  form_string = 0x08,
  form_block = 0x09,
  form_block1 = 0x0a,
  form_data1 = 0x0b,
  form_flag = 0x0c,
  form_sdata = 0x0d,
  form_strp = 0x0e,
  form_udata = 0x0f,
  form_ref_addr = 0x10,
  form_ref1 = 0x11,
  form_ref2 = 0x12,
  form_ref4 = 0x13,
  form_ref8 = 0x14,
  form_ref_udata = 0x15,
  form_sec_offset = 0x17,
  form_exprloc = 0x18,
  form_flag_present = 0x19,
};

enum Operation : std::uint64_t {
  op_addr = 0x03,
  op_plus_uconst = 0x23,
  op_regx = 0x90,
};

}  // namespace pycuda::cpu::ptx::dwarf
