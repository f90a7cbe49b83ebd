export default {
  name: 'panel',
  data() {
    return {};
  },
  methods: {
    open() {},
  },
};
